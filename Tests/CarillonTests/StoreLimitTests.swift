import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Limits of the guide `Limits`, each with a value at it and a value beyond it.
@Suite struct StoreLimitTests {
  @Test("A habit has at most 16 schedules, each with at most 24 times")
  func schedules() async throws {
    try await withStore { store, _ in
      for (count, times, isAccepted) in [(16, 24, true), (17, 1, false), (1, 25, false)] {
        var habit = Habit("Walk")
        habit.schedules = (0..<count).map { _ in
          Schedule(
            rule: .weekly([.monday]), times: (0..<times).compactMap { TimeOfDay(minute: $0) })
        }
        #expect(await Self.isAccepted { try await store.add(habit) } == isAccepted, "\(count)")
      }
    }
  }

  @Test("A schedule fires at most 2,424 times for each date: 24 times with 100 repeats each")
  func timesPerDate() async throws {
    try await withStore { store, _ in
      for (rule, repeats, isAccepted) in [
        ("HOURLY", 100, true), ("MINUTELY", 0, true), ("MINUTELY;INTERVAL=2", 2, true),
        ("MINUTELY", 1, false), ("MINUTELY;INTERVAL=2", 3, false),
      ] {
        let recurrence = try Recurrence(parsing: "DTSTART:20260101T000000\nRRULE:FREQ=\(rule)")
        let relative = Schedule.Relative(
          to: .recurrence(recurrence), offset: .seconds(-900), repeatCount: repeats,
          repeatInterval: .seconds(repeats == 0 ? 0 : 60))
        let habit = Habit("Walk", Schedule(rule: .relative(relative), times: []))
        let isAdded = await Self.isAccepted { try await store.add(habit) }
        #expect(isAdded == isAccepted, "\(rule) with \(repeats) repeats")
      }
    }
  }

  @Test("The data of a notification has at most 16 keys and 2,000 bytes")
  func data() async throws {
    try await withStore { store, _ in
      let keys = (10..<27).map { "\($0)" }
      for (data, isAccepted) in [
        (Dictionary(uniqueKeysWithValues: keys.dropLast().map { ($0, "") }), true),
        (Dictionary(uniqueKeysWithValues: keys.map { ($0, "") }), false),
        (["a": String(repeating: "b", count: 1_999)], true),
        (["a": String(repeating: "b", count: 2_000)], false),
      ] {
        var schedule = Schedule.daily(at: ["17:00"])
        schedule.content.data = data
        let habit = Habit("Walk", schedule)
        #expect(await Self.isAccepted { try await store.add(habit) } == isAccepted, "\(data.count)")
      }
    }
  }

  @Test("A goal and a quota have at most 1,000 times in 366 days")
  func goals() {
    for (count, days, isAccepted) in [
      (1, 1, true), (1_000, 366, true), (0, 1, false), (1, 0, false), (1_001, 1, false),
      (1, 367, false),
    ] {
      #expect((Quota(count: count, per: .rolling(days: days)) != nil) == isAccepted)
    }
  }

  @Test("A snooze lasts from a minute to 365 days")
  func snoozes() async throws {
    try await withStore { store, _ in
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      for (seconds, isAccepted) in [
        (59, false), (60, true), (31_536_000, true), (31_536_001, false),
      ] {
        let result = await Self.isAccepted {
          try await store.snooze(walk.id, for: .seconds(seconds))
        }
        #expect(result == isAccepted, "\(seconds)")
      }
    }
  }

  @Test("A plan has at most 10,000 requests and 400 days")
  func plans() async throws {
    try await withStore { store, _ in
      for (capacity, days, isAccepted) in [
        (0, 1, true), (10_000, 400, true), (-1, 1, false), (10_001, 1, false), (1, 0, false),
        (1, 401, false),
      ] {
        let result = await Self.isAccepted {
          try await store.plan(capacity: capacity, horizonDays: days)
        }
        #expect(result == isAccepted, "\(capacity) \(days)")
      }
    }
  }

  @Test("A mark covers at most 400 dates")
  func marks() throws {
    let first: CivilDate = "2026-01-01"
    for (days, isAccepted) in [(400, true), (401, false)] {
      let mark = DayMarked(
        habit: HabitID(high: 1, low: 1), first: first, last: first.adding(days: days - 1),
        mark: .skip)
      #expect(((try? Payload.dayMarked(mark).validate()) != nil) == isAccepted, "\(days)")
    }
  }

  @Test("JSON has at most 16 levels")
  func json() {
    for (count, isAccepted) in [(16, true), (17, false)] {
      let text = String(repeating: "[", count: count) + String(repeating: "]", count: count)
      #expect(((try? JSONValue(parsing: Array(text.utf8))) != nil) == isAccepted, "\(count)")
    }
  }

  /// Whether a call returns; an error must be `invalidValue`.
  private static func isAccepted<Result>(_ call: () async throws -> Result) async -> Bool {
    do {
      _ = try await call()
      return true
    } catch {
      #expect((error as? StoreError)?.code == .invalidValue, "\(error)")
      return false
    }
  }
}
