import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The file of `plan --apply`: the list of requests as `pending --json` prints it, the delivered
/// notifications, and the badge.
struct ScheduleDocument: Equatable {
  /// A pending request.
  struct Entry: Equatable {
    let id: NotificationID
    let fingerprint: String?
    /// Nil if none is given, and for a place, which has no time.
    let fireAt: Instant?
    /// Nil if none is given, as for a request that is not Carillon's.
    let trigger: RequestTrigger?
    /// The entry's JSON in the file; requests that are not Carillon's are written back unchanged.
    let json: JSON
  }

  /// A delivered notification.
  struct Delivered: Equatable {
    let id: NotificationID
    let title: String?
    let deliveredAt: Instant
    /// The ID of its habit, if it was recorded.
    var habit: String?
  }

  var pending: [Entry] = []
  /// The due requests that are still to be delivered.
  var waiting: [Entry] = []
  var delivered: [Delivered] = []
  var badge: Int64 = 0
  /// The time of the last look for due entries; nil before the first one.
  var asOf: Instant?
  /// The time of the look before the clock last advanced by more than an hour, since it may have
  /// been set ahead.
  var leaptFrom: Instant?
  /// The time before the clock was set back, until the next look decides which time was wrong.
  var setBackFrom: Instant?
  /// Why the last notification was not shown; nil if it was.
  var refusal: String?
  /// The device's time zone when this was written; nil if it is not given.
  var zone: TimeZone?

  /// Creates an empty document.
  init() {}

  /// Reads a document, or a list of requests alone.
  ///
  /// - Throws: `malformed` with the place of the malformed item.
  init(_ document: JSON) throws(ModelError) {
    switch document {
    case .array(let items): pending = try Self.list(items, "pending", Entry.init)
    case .object(let object):
      pending = try Self.list(object, "pending", Entry.init)
      waiting = try Self.list(object, "waiting", Entry.init)
      delivered = try Self.list(object, "delivered", Delivered.init)
      switch object["badge"] {
      case .integer(let count)? where count >= 0: badge = count
      case nil, .null?: badge = 0
      case _?: throw Self.problem("\"badge\" is not a whole number of at least 0")
      }
      let fields = try Fields(document, place: "the object")
      asOf = try fields.value("asOf", "an instant") { Instant(rfc3339: $0) }
      leaptFrom = try fields.value("leaptFrom", "an instant") { Instant(rfc3339: $0) }
      setBackFrom = try fields.value("setBackFrom", "an instant") { Instant(rfc3339: $0) }
      refusal = try fields.text("refusal")
      zone = try fields.value("zone", "a time zone") { TimeZone(identifier: $0) }
    default: throw Self.problem("expected a list or an object, not \(document.kindName)")
    }
  }

  /// The document in JSON, which `plan --against` also reads.
  func json(_ time: LocalTime) -> JSON {
    var document: JSON = [
      "zone": .text(time.zone.ianaName), "pending": .array(pending, \.json),
      "delivered": .array(delivered) {
        [
          "id": .text($0.id.description), "title": .text($0.title),
          "deliveredAt": .text(time.rfc3339($0.deliveredAt)), "habit": .text($0.habit),
        ]
      },
      "badge": .integer(badge),
    ]
    let moments = [("asOf", asOf), ("leaptFrom", leaptFrom), ("setBackFrom", setBackFrom)]
    for (name, moment) in moments {
      if let moment { document = document.merging([name: .text(time.rfc3339(moment))]) }
    }
    if !waiting.isEmpty { document = document.merging(["waiting": .array(waiting, \.json)]) }
    return refusal.map { document.merging(["refusal": .text($0)]) } ?? document
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

  /// The ID, which is required.
  func id() throws(ModelError) -> NotificationID {
    guard let id = try text("id"), !id.isEmpty else {
      throw ScheduleDocument.problem("\(place) has no text \"id\"")
    }
    return NotificationID(id)
  }

  /// Returns a text, or nil if there is none.
  func text(_ name: String) throws(ModelError) -> String? {
    switch members[name] {
    case .text(let text)?: return text
    case nil, .null?: return nil
    case let other?:
      throw ScheduleDocument.problem("\"\(name)\" of \(place) is \(other.kindName), not text")
    }
  }

  /// Returns a value that is written as text, or nil if there is none.
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
    let fireAt = try fields.value("fireAt", "an instant") { Instant(rfc3339: $0) }
    let trigger = try fields.value("trigger", "a trigger") { RequestTrigger($0) }
    self.fireAt = if case .place? = trigger?.shape { nil } else { fireAt }
    self.trigger = trigger
  }

  /// Creates the entry of a request.
  init(_ request: NotificationRequest, _ time: LocalTime) {
    id = .request(request.id)
    fingerprint = request.fingerprint
    fireAt = request.fireAt
    trigger = request.trigger
    json = request.json(time)
  }

  /// Returns the same entry with another time.
  func firing(at fireAt: Instant, _ time: LocalTime) -> Self {
    var object = JSONObject()
    if case .object(let members) = json { object = members }
    object["fireAt"] = .text(time.rfc3339(fireAt))
    return Self(
      id: id, fingerprint: fingerprint, fireAt: fireAt, trigger: trigger, json: .object(object))
  }

  /// Returns a member of the content, such as `body`.
  func content(_ name: String) -> String? {
    guard case .object(let members) = json, case .object(let content)? = members["content"],
      case .text(let text)? = content[name]
    else { return nil }
    return text
  }

  /// The notification's title.
  var title: String? {
    guard case .object(let members) = json, case .text(let title)? = members["title"] else {
      return content("title")
    }
    return title
  }
}

extension ScheduleDocument.Delivered {
  fileprivate init(_ fields: Fields) throws(ModelError) {
    id = try fields.id()
    title = try fields.text("title")
    habit = try fields.text("habit")
    guard let at = try fields.value("deliveredAt", "an instant", { Instant(rfc3339: $0) }) else {
      throw ScheduleDocument.problem("an item of \"delivered\" has no text \"deliveredAt\"")
    }
    deliveredAt = at
  }
}
