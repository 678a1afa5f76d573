import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import CarillonWire
import Foundation
import Testing

/// `protocol/vectors/state.json`: events and the digest of their merged state.
///
/// If `CARILLON_WRITE_VECTORS` is set in the environment, the file is written instead of compared.
struct StateVectorTests {
  @Test("The vectors' events merge to the state digests in the vectors")
  func digests() async throws {
    if ProcessInfo.processInfo.environment["CARILLON_WRITE_VECTORS"] != nil { try await write() }
    let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: Self.file))
    #expect(vectors.cases.count == 8)
    for item in vectors.cases {
      let events = try item.events.map { try #require($0.event, "\(item.name)") }
      #expect(try await Self.digest(events).description == item.digest, "\(item.name)")
      #expect(
        try await Self.digest(events.reversed()).description == item.digest,
        "\(item.name), in reverse order")
    }
  }

  // MARK: - The file

  private struct Vectors: Codable {
    var about: [String]
    var cases: [Case]
  }

  private struct Case: Codable {
    var name: String
    var events: [Line]
    var digest: String
  }

  private struct Line: Codable {
    var id: String
    var replica: String
    var payload: String

    init(_ event: StoredEvent) {
      id = event.id.description
      replica = event.replica.description
      payload = event.payload.hexadecimal
    }

    var event: StoredEvent? {
      guard let id = EventID(id), let replica = ReplicaID(replica),
        let payload = [UInt8](hexadecimal: payload)
      else { return nil }
      return StoredEvent(id: id, replica: replica, sequence: .first, payload: payload)
    }
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "protocol/vectors/state.json")

  private static func digest(_ events: [StoredEvent]) async throws -> StateDigest {
    var digest: StateDigest?
    try await Fixture.run(events) { fixture in
      let projections = try await fixture.open()
      digest = try await projections.digest()
      await projections.close()
    }
    return try #require(digest)
  }

  private func write() async throws {
    var histories = [
      ("no event", History()), ("a habit, done and taken back", try Self.habit()),
      ("events that state what they replace", try Self.replacing()),
      ("an unreadable text that a later one replaces", try Self.replacedText()),
    ]
    for seed in 1...4 as ClosedRange<UInt64> {
      histories.append(("all kinds, \(seed)", try History(seed: seed, count: 120)))
    }
    var vectors = Vectors(
      about: [
        "State digests, see protocol/EVENTS.md. All bytes are hexadecimal.",
        "digest: that of the state to which the events merge, in whatever order they are applied.",
      ], cases: [])
    for (name, history) in histories {
      vectors.cases.append(
        Case(
          name: name, events: history.events.map(Line.init),
          digest: try await Self.digest(history.events).description))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(vectors) + Data("\n".utf8)).write(to: Self.file)
  }

  private static func habit() throws -> History {
    var history = History()
    let habit = HabitID(high: 1, low: 1)
    try history.add(.habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk"))))
    let recorded = EntryRecorded(habit: habit, date: "2026-11-23")
    let first = try history.add(.entryRecorded(recorded))
    try history.add(
      .entryRecorded(EntryRecorded(habit: habit, date: "2026-11-24")),
      replica: ReplicaID(high: 7, low: 2))
    let entry = recorded.kind.entryID(habit: habit, date: recorded.date, event: first.id)
    try history.add(
      .entryVoided(EntryVoided(items: [.init(entry: entry, recordings: [first.id])])))
    return history
  }

  /// A title that is written twice in one event, first as bytes that are not UTF-8.
  private static func replacedText() throws -> History {
    var history = History()
    let habit = HabitID(high: 1, low: 1)
    try history.add(.habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk"))))
    func edit(_ title: String) throws -> [UInt8] {
      try PayloadCoding.encode(
        .habitEdited(HabitFields(habit: habit, values: [.title: .text(title)])))
    }
    history.add(try edit("Jog").map { $0 == UInt8(ascii: "J") ? 0xFF : $0 } + edit("Run"))
    return history
  }

  /// One event of each kind that states what it replaces or had seen.
  private static func replacing() throws -> History {
    var history = History()
    let (habit, schedule) = (HabitID(high: 1, low: 1), ScheduleID(high: 2, low: 1))
    let daily = Schedule(id: schedule, rule: .weekly(Set(Weekday.allCases)), times: ["17:00"])
    let created = try history.add(
      .habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk")))
    ).id
    let set = try history.add(.scheduleSet(ScheduleSet(habit: habit, schedule: daily))).id
    var edited = HabitFields(habit: habit, values: [.title: .text("Stroll")])
    edited.replaces = [created]
    let title = try history.add(.habitEdited(edited)).id
    var late = daily
    late.setTimes(["19:00"])
    var changed = ScheduleSet(habit: habit, from: daily, to: late)
    changed.replaces = [set]
    let times = try history.add(.scheduleSet(changed), replica: ReplicaID(high: 7, low: 2)).id
    var removed = ScheduleRemoved(habit: habit, schedule: schedule)
    removed.replaces = [set]
    let removal = try history.add(.scheduleRemoved(removed)).id
    changed.replaces = [times, removal].sorted()
    try history.add(.scheduleSet(changed))
    var noted = NoteRecorded(habit: habit, date: "2026-11-23", text: "Rain")
    noted.replaces = [created]
    try history.add(.noteRecorded(noted))
    var setting = SettingsSet(.dayStart, to: "04:00")
    let first = try history.add(.settingsSet(setting)).id
    setting.replaces = [first]
    try history.add(.settingsSet(setting), replica: ReplicaID(high: 7, low: 2))
    var archived = HabitArchivedSet(habit: habit, isArchived: true)
    archived.replaces = [title, times].sorted()
    try history.add(.habitArchivedSet(archived))
    var deleted = HabitDeleted(habit: habit)
    deleted.replaces = archived.replaces
    try history.add(.habitDeleted(deleted))
    return history
  }
}
