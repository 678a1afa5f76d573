import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Foundation
import GRDB
import Testing

/// Erased events have no rows, in any order of arrival, and their payloads leave the log.
struct ErasureTests {
  private static let habit = HabitID(high: 1, low: 1)
  private static let other = HabitID(high: 1, low: 2)
  private static let phone = ReplicaID(high: 7, low: 1)
  private static let date: CivilDate = "2026-11-23"

  @Test(
    "No table keeps a row of an erased habit", arguments: TestSeed.first(8))
  func nothingStays(seed: UInt64) async throws {
    var history = try History(seed: seed, count: 250)
    let habits = ReferenceFold(history.events).state().habits.keys.sorted()
    let habit = try #require(habits.first)
    try history.add(.dataErased(Erasure(.habit(habit))))
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(
        try await projections.state() == ReferenceFold(history.events).state(), "seed \(seed)")
      await projections.close()
      let blob = "x'\(habit.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
      let queue = try DatabaseQueue(path: fixture.file(1).path)
      try await queue.read { database in
        for table in ["habit", "habit_field", "schedule", "pause", "entry", "day_mark", "snooze"] {
          let count = try Int.fetchOne(
            database, sql: "SELECT count(*) FROM \(table) WHERE habit = \(blob)")
          #expect(count == 0, "seed \(seed): \(table)")
        }
      }
      try queue.close()
    }
  }

  @Test("Erasing a pause's habit restores the pause's earlier habit")
  func movedPause() async throws {
    var history = History()
    var pause = Pause(id: PauseID(high: 4, low: 1), habit: Self.other, first: Self.date, last: nil)
    try history.add(.pauseSet(pause))
    pause.habit = Self.habit
    try history.add(.pauseSet(pause))
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await projections.state().pauses[pause.id]?.habit == Self.habit)
      try history.add(.dataErased(Erasure(.habit(Self.habit))))
      fixture.log.arrive(history.events.suffix(1))
      #expect(try await projections.state().pauses[pause.id]?.habit == Self.other)
      #expect(try await projections.check() == nil)
      await projections.close()
    }
  }

  @Test("Facts up to an event are erased in every order of arrival, even expired ones")
  func facts() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    var history = History()
    for number in 0..<1_400 {
      try history.add(
        .itemObserved(ItemObserved(source: "feed", items: [.init(item: "\(number)")])))
      if number.isMultiple(of: 7) {
        try history.add(
          .receiptAdvanced(
            ReceiptAdvanced(
              subject: .item(source: "feed", item: "\(number)"), state: .delivered)))
      }
    }
    let last = history.events[Int.random(in: 300..<1_500, using: &random)].id
    try history.add(.dataErased(Erasure(.items(source: "feed", upTo: last))))
    var digests: Set<StateDigest> = []
    let fold = ReferenceFold(history.events)
    for _ in 0..<3 {
      try await Fixture.run { fixture in
        let projections = try await fixture.open()
        let order = history.events.shuffled(using: &random)
        for part in stride(from: 0, to: order.count, by: 200) {
          fixture.log.arrive(Array(order[part..<min(part + 200, order.count)]))
          _ = try await projections.catchUp()
        }
        try await projections.read { reader in
          let observed = try reader.observedItems(of: "feed")
          let kept = fold.observedItems(of: "feed")
          for number in 0..<1_400 {
            #expect(
              try observed.contains("\(number)") == kept.contains(.init(item: "\(number)")),
              "seed \(seed)")
          }
        }
        digests.insert(try await projections.digest())
        _ = try await projections.rebuild()
        digests.insert(try await projections.digest())
        await projections.close()
      }
    }
    #expect(digests.count == 1, "seed \(seed)")
  }

  @Test("A payload that arrives after its erasure is erased, even by a later process")
  func late() async throws {
    var history = History()
    let erasure = try history.add(.dataErased(Erasure(.habit(Self.habit))))
    let entry = try history.add(
      .entryRecorded(EntryRecorded(habit: Self.habit, date: Self.date)))
    try await Fixture.run(history.events) { fixture in
      let gone = try await fixture.open()
      #expect(try await gone.state().days.isEmpty)
      await gone.close()
      let projections = try await fixture.open()
      #expect(try projections.isSweepDue())
      #expect(try await projections.sweep() == 1)
      #expect(try !projections.isSweepDue())
      let left = try #require(try fixture.log.event(at: LogPosition(rawValue: 2)))
      #expect(left.payload.isEmpty)
      #expect(left.redacted?.erasure == erasure.id)
      #expect(left.redacted?.digest == PayloadDigest(entry.payload))
      #expect(try await projections.sweep() == 0)
      await projections.close()
    }
  }

  @Test("An unconfirmed event is resolved by its content or by its erasure")
  func unconfirmed() async throws {
    var history = History()
    let created = try history.add(
      .habitCreated(HabitFields(creating: Habit(id: Self.habit, title: "Walk"))))
    let entry = try history.add(
      .entryRecorded(EntryRecorded(habit: Self.other, date: Self.date)))
    let erasure = try history.add(.dataErased(Erasure(.habit(Self.other))))
    let nowhere = EventID(words: (9, 9, 9, 9))
    let redacted = [created.redacted(erasedBy: nowhere), entry.redacted(erasedBy: erasure.id)]
    try await Fixture.run(redacted) { fixture in
      let projections = try await fixture.open()
      let empty = try await projections.digest()
      #expect(try await projections.unconfirmedEvents().map(\.id) == [created.id, entry.id])
      #expect(try await projections.sweep() == 0)
      #expect(try await projections.unconfirmedEvents().count == 2)
      fixture.log.arrive([erasure])
      #expect(try await projections.unconfirmedEvents().map(\.id) == [created.id])
      fixture.log.restore(created)
      #expect(try await projections.sweep() == 0)
      #expect(try await projections.unconfirmedEvents().isEmpty)
      #expect(try await projections.read { try $0.unconfirmedCount() } == 0)
      #expect(try await projections.state() == ReferenceFold([created, erasure]).state())
      #expect(try await projections.state().habits[Self.habit]?.title == "Walk")
      let kept = try await projections.read { try $0.stateDigest() }
      #expect(kept != empty)
      #expect(try await projections.digest() == kept)
      #expect(try await projections.check() == nil)
      await projections.close()
    }
  }

  @Test("Erased data is also erased in the state at earlier moments")
  func earlier() async throws {
    var history = History()
    let fields = HabitFields(creating: Habit(id: Self.habit, title: "Walk"))
    try history.add(.habitCreated(fields))
    let before = Instant(milliseconds: History.start + 1)
    try history.add(.dataErased(Erasure(.habit(Self.habit))))
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let moments = try await projections.state(asOf: before, range: nil)
      #expect(moments.habits.isEmpty)
      let (events, _, digest) = try await projections.digest(until: before)
      #expect(events == 1)
      _ = try await projections.sweep()
      #expect(try await projections.digest(until: before).digest == digest)
      await projections.close()
    }
  }
}
