import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

/// A check finds rows that were changed by hand, and reports their table and key.
struct CheckTests {
  private static let habit = HabitID(high: 2, low: 1)

  private static func history() throws -> History {
    var history = History()
    let date = CivilDate(rawValue: 20_780)
    try history.add(.habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk"))))
    try history.add(.entryRecorded(EntryRecorded(habit: habit, date: date)))
    try history.add(
      .dayMarked(DayMarked(habit: habit, first: date, last: date.adding(days: 2), mark: .skip)))
    return history
  }

  @Test(
    "A check reports a row that was changed, removed or added",
    arguments: [
      (
        "UPDATE habit_field SET value = 'Run'", "habit_field",
        "habit 00000000-0000-0002-0000-000000000001 field title", .different
      ),
      (
        "DELETE FROM day_mark WHERE day = 20781", "day_mark",
        "habit 00000000-0000-0002-0000-000000000001 day 2026-11-24", .missing
      ),
      (
        "INSERT INTO activity VALUES (x'000102030405060708090a0b0c0d0e0f', 1)", "activity",
        "replica 00010203-0405-0607-0809-0a0b0c0d0e0f", .superfluous
      ),
      ("UPDATE checkpoint SET unknown_count = 7", "checkpoint", "position 3", .different),
    ] as [(String, String, String, RowDifference.Kind)])
  func named(sql: String, table: String, key: String, kind: RowDifference.Kind) async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      #expect(try await projections.check() == nil)
      try fixture.change(1, sql)
      let expected = RowDifference(table: table, key: key, kind: kind)
      #expect(try await projections.check() == expected)
      #expect(try fixture.files() == [Fixture.fileName(1)])
      _ = try await projections.rebuild()
      #expect(try await projections.check() == nil)
      await projections.close()
    }
  }

  @Test("The computed digest of changed rows differs from the stored digest")
  func digest() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      let kept = try await projections.read { try $0.stateDigest() }
      try fixture.change(1, "UPDATE entry SET value = 999")
      #expect(try await projections.read { try $0.cachedDigest() } == kept)
      #expect(try await projections.digest() != kept)
      await projections.close()
    }
  }
}
