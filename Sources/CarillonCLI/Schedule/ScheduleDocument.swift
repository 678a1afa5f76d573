import Carillon
import Foundation

/// What a system holds, as the file of `plan --apply` has it: the list that `pending --json`
/// prints, with what is shown and the badge beside it.
struct ScheduleDocument: Equatable {
  /// A request that the system holds.
  struct Entry: Equatable {
    let id: String
    let fingerprint: String?
    /// Nil where none is named, and of what has no time.
    let fireAt: Instant?
    /// Nil for one of others that names none.
    let trigger: RequestTrigger?
    /// As it stood in the file; what is not ours is written back as it came.
    let json: JSON
  }

  /// A notification that is shown.
  struct Shown: Equatable {
    let id: String
    let title: String?
    let deliveredAt: Instant
    /// The id of the habit that it reminds of, where it was noted.
    var habit: String?
  }

  var pending: [Entry] = []
  var delivered: [Shown] = []
  var badge: Int64 = 0
  /// When what is due was looked for last; nil before.
  var asOf: Instant?
  /// When it was looked for before the clock last went on by more than an hour, which may have been
  /// a clock that was set ahead.
  var leaptFrom: Instant?
  /// What the clock showed before it was set back, until the next look tells which was wrong.
  var setBackFrom: Instant?
  /// Where the device was when this was written; nil where it is not said.
  var zone: TimeZone?

  /// Nothing is held or shown.
  init() {}

  /// Reads a document, or the list alone.
  ///
  /// - Throws: `malformed` naming the place of what is not of the form.
  init(_ document: JSON) throws(ModelError) {
    switch document {
    case .array(let items): pending = try Self.list(items, "pending", Entry.init)
    case .object(let object):
      pending = try Self.list(object, "pending", Entry.init)
      delivered = try Self.list(object, "delivered", Shown.init)
      switch object["badge"] {
      case .integer(let count)? where count >= 0: badge = count
      case nil, .null?: badge = 0
      case _?: throw Self.problem("\"badge\" is no number from 0")
      }
      let fields = try Fields(document, place: "the object")
      asOf = try fields.value("asOf", "an instant") { Instant(rfc3339: $0) }
      leaptFrom = try fields.value("leaptFrom", "an instant") { Instant(rfc3339: $0) }
      setBackFrom = try fields.value("setBackFrom", "an instant") { Instant(rfc3339: $0) }
      zone = try fields.value("zone", "a time zone") { TimeZone(identifier: $0) }
    default: throw Self.problem("this is \(document.kindName), not a list or an object")
    }
  }

  /// The document, readable by `plan --against` and by this.
  func json(_ time: LocalTime) -> JSON {
    var document: JSON = [
      "zone": .text(time.zone.ianaName), "pending": .array(pending, \.json),
      "delivered": .array(delivered) {
        [
          "id": .text($0.id), "title": .text($0.title),
          "deliveredAt": .text(time.rfc3339($0.deliveredAt)), "habit": .text($0.habit),
        ]
      },
      "badge": .integer(badge),
    ]
    let moments = [("asOf", asOf), ("leaptFrom", leaptFrom), ("setBackFrom", setBackFrom)]
    for (name, moment) in moments {
      if let moment { document = document.merging([name: .text(time.rfc3339(moment))]) }
    }
    return document
  }

  static func problem(_ message: String) -> ModelError {
    ModelError(code: .malformed, message: message)
  }

  private static func list<Element>(
    _ object: JSONObject, _ name: String,
    _ element: (Fields) throws(ModelError) -> Element
  ) throws(ModelError) -> [Element] {
    switch object[name] {
    case .array(let items)?: return try list(items, name, element)
    case nil where name != "pending": return []
    case nil: throw problem("the object has no list \"pending\"")
    case let other?: throw problem("\"\(name)\" is \(other.kindName), not a list")
    }
  }

  private static func list<Element>(
    _ items: [JSON], _ name: String, _ element: (Fields) throws(ModelError) -> Element
  ) throws(ModelError) -> [Element] {
    var elements: [Element] = []
    for (index, item) in items.enumerated() {
      elements.append(try element(Fields(item, place: "item \(index + 1) of \"\(name)\"")))
    }
    return elements
  }
}

/// The members of one item of a list.
struct Fields {
  let json: JSON
  private let members: JSONObject
  private let place: String

  init(_ json: JSON, place: String) throws(ModelError) {
    guard case .object(let members) = json else {
      throw ScheduleDocument.problem("\(place) is \(json.kindName), not an object")
    }
    self.json = json
    self.members = members
    self.place = place
  }

  /// The id, which every item has.
  func id() throws(ModelError) -> String {
    guard let id = try text("id"), !id.isEmpty else {
      throw ScheduleDocument.problem("\(place) has no text \"id\"")
    }
    return id
  }

  /// A text, or nil where there is none.
  func text(_ name: String) throws(ModelError) -> String? {
    switch members[name] {
    case .text(let text)?: return text
    case nil, .null?: return nil
    case let other?:
      throw ScheduleDocument.problem("\"\(name)\" of \(place) is \(other.kindName), not text")
    }
  }

  /// A value that is written as text, or nil where there is none.
  func value<Value>(
    _ name: String, _ form: String, _ parse: (String) -> Value?
  ) throws(ModelError) -> Value? {
    guard let text = try text(name) else { return nil }
    guard let value = parse(text) else {
      throw ScheduleDocument.problem("\"\(name)\" of \(place) is \"\(text)\", not \(form)")
    }
    return value
  }
}

extension ScheduleDocument.Entry {
  fileprivate init(_ fields: Fields) throws(ModelError) {
    id = try fields.id()
    fingerprint = try fields.text("fingerprint")
    json = fields.json
    fireAt = try fields.value("fireAt", "an instant") { Instant(rfc3339: $0) }
    trigger = try fields.value("trigger", "a trigger") { RequestTrigger($0) }
  }

  /// The entry of a request that was given to the system.
  init(_ request: Request, _ time: LocalTime) {
    id = request.id
    fingerprint = request.fingerprint
    fireAt = request.fireAt
    trigger = RequestTrigger(request.trigger)
    json = request.json(time)
  }

  /// The same, to fire at another time.
  func firing(at fireAt: Instant, _ time: LocalTime) -> Self {
    var object = JSONObject()
    if case .object(let members) = json { object = members }
    object["fireAt"] = .text(time.rfc3339(fireAt))
    return Self(
      id: id, fingerprint: fingerprint, fireAt: fireAt, trigger: trigger, json: .object(object))
  }

  /// A member of the content, such as `body`.
  func content(_ name: String) -> String? {
    guard case .object(let members) = json, case .object(let content)? = members["content"],
      case .text(let text)? = content[name]
    else { return nil }
    return text
  }

  /// The first line of what it shows.
  var title: String? {
    guard case .object(let members) = json, case .text(let title)? = members["title"] else {
      return content("title")
    }
    return title
  }
}

extension ScheduleDocument.Shown {
  fileprivate init(_ fields: Fields) throws(ModelError) {
    id = try fields.id()
    title = try fields.text("title")
    habit = try fields.text("habit")
    guard let at = try fields.value("deliveredAt", "an instant", { Instant(rfc3339: $0) }) else {
      throw ScheduleDocument.problem("what is shown has no text \"deliveredAt\"")
    }
    deliveredAt = at
  }
}
