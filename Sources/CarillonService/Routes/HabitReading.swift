#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonWire
import Foundation

extension Habit {
  /// Creates a new habit from the form in which it is answered.
  ///
  /// `id` and the `id` of each schedule are optional: a client that sends them can repeat the
  /// request without adding a second habit.
  init(_ document: inout RequestDocument) throws {
    self.init(id: try document.id("id") ?? .random(), title: "")
    schedules = try (document.list("schedules") ?? []).enumerated().map { index, value in
      do {
        return try Schedule(value)
      } catch let error as ModelError {
        throw Problem.invalidValue("schedules: item \(index + 1): \(error.message)")
      }
    }
    self = try HabitChanges(document.rest()).applied(to: self)
    guard !title.isEmpty else { throw ModelError.invalid("title", "is missing; a habit needs it") }
  }
}

/// The fields of a habit that a request changes.
struct HabitChanges: Sendable {
  private let values: [HabitField: HabitFieldValue]

  private static let names = Dictionary(
    uniqueKeysWithValues: HabitField.allCases.map { ($0.jsonName, $0) })

  /// Reads the fields; null resets a field to its default.
  init(_ members: JSONObject) throws {
    try members.requireNames(Self.names.keys, of: "a habit")
    let blank = Habit(id: .zero, title: "")
    var (resets, changed) = ([HabitField: HabitFieldValue](), JSONObject())
    for member in members.members {
      if member.value == .null, let field = Self.names[member.name], field != .title {
        resets[field] = blank[field]
      } else {
        changed[member.name] = member.value
      }
    }
    changed["habit"] = .text(HabitID.zero.description)
    values = try HabitCreated(json: changed, as: "a habit").fields.values.merging(resets) { $1 }
  }

  /// The new title; nil if it is not changed.
  var title: String? { values[.title]?.text }

  /// Returns a habit with the changes.
  func applied(to habit: Habit) -> Habit {
    var habit = habit
    for (field, value) in values { habit[field] = value }
    return habit
  }
}

extension Schedule {
  private static let names = ["id"] + ScheduleField.allCases.map(\.rawValue)

  /// Creates a schedule from the form in which it is answered; fields that are absent have their
  /// defaults.
  ///
  /// - Parameter id: The ID; nil takes that of the document, or a new one.
  init(_ value: JSON, id: ScheduleID? = nil) throws {
    guard case .object(var members) = value else {
      throw Problem.malformed("a schedule must be an object, not \(value.kindName)")
    }
    try members.requireNames(Self.names, of: "a schedule")
    let own = id.map { JSON.text($0) } ?? members["id"] ?? .text(ScheduleID.random())
    members["id"] = nil
    members["habit"] = .text(HabitID.random())
    members["schedule"] = own
    let set = try ScheduleSet(json: members, as: "a schedule")
    guard set.fields.contains(.rule) else {
      throw ModelError.invalid("rule", "is missing; a schedule needs it")
    }
    try set.payload.validate()
    self = set.schedule
    try requireKnownZones()
  }

  /// Requires that the names of zones are those of zones of this computer.
  ///
  /// A schedule in another zone is never planned. Synced events may have one, since another device
  /// may know it.
  private func requireKnownZones() throws(ModelError) {
    if case .fixed(let name) = zone { try Self.requireZone(name, "zone") }
    let rule = if case .relative(let relative) = rule { relative.base } else { rule }
    if case .recurrence(let recurrence) = rule, let name = recurrence.zone {
      try Self.requireZone(name, "rule: DTSTART")
    }
  }

  private static func requireZone(_ name: String, _ field: String) throws(ModelError) {
    guard TimeZone(identifier: name) == nil else { return }
    throw .invalid(
      field, "\"\(name)\" is not the IANA name of a time zone, such as Europe/Berlin")
  }
}

extension RequestDocument {
  /// Takes an ID; nil if the member is absent or null.
  mutating func id<Subject>(_ name: String) throws -> Identifier<Subject>? {
    try text(name).map { text in
      guard let id = Identifier<Subject>(text) else {
        throw Problem.invalid(name, text, "an ID, such as 81b253cd-3a34-416f-87f6-5714668d945d")
      }
      return id
    }
  }
}

extension JSONObject {
  /// Requires that the object has only some members.
  fileprivate func requireNames(_ names: some Collection<String>, of subject: String) throws {
    guard let unknown = members.first(where: { !names.contains($0.name) }) else { return }
    throw Problem.malformed(
      "unknown member \"\(unknown.name)\"",
      hint: "the members of \(subject) are \(names.sorted().joined(separator: ", "))")
  }
}
#endif
