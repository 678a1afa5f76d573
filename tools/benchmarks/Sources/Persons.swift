import Carillon
import CarillonModel
import CarillonTesting
import Foundation

/// The stores of persons who do all their habits three times a day.
enum Persons {
  /// The dates for which receipts are retained, of three a day.
  private static let receiptDays = Retention.perSource / 3

  /// `person STORE HABITS DAYS`: creates a store of habits with three schedules each, which were
  /// done on the days before now.
  ///
  /// The device delivered the reminders whose receipts are retained.
  static func generate(_ arguments: Arguments) async throws -> Measurement {
    let (habits, days) = (try habits(arguments.number(1)), try arguments.number(2))
    let clock = ManualClock(Fixtures.now)
    clock.advance(seconds: -86_400 * Int64(days) - 3_600)
    let store = try await Store.create(
      at: arguments.directory(0), replica: "phone", role: .phone,
      options: StoreOptions(clock: { clock.now }, zone: { .gmt }))
    try await store.setPermission(Permission(status: .authorized))
    try await store.setAlerts(true)
    try await record(Fixtures.creation(of: habits), in: store, clock)
    clock.advance(seconds: 3_600)
    for back in (1...days).reversed() {
      let date = LogicalDate.of(clock.now, in: .gmt)
      var payloads: [Payload] = [.appActive(AppActive(date: date))]
      for habit in habits {
        payloads += done(habit, on: date)
        if back <= receiptDays { payloads += delivered(habit, on: date) }
      }
      clock.advance(seconds: 57_600)
      try await record(payloads, in: store, clock)
      clock.advance(seconds: 28_800)
    }
    _ = try await store.plan()
    let count = Int(try store.log.lastPosition().rawValue)
    await store.close()
    return Measurement(count: count)
  }

  private static func habits(_ count: Int) throws -> [Habit] {
    let habits: [HabitID] = Fixtures.identifiers(count, of: 1)
    let schedules: [ScheduleID] = Fixtures.identifiers(3 * count, of: 2)
    return habits.indices.map { index in
      var habit = Habit(id: habits[index], title: "Habit \(index)")
      (habit.kind, habit.target) = (.count, 3)
      habit.schedules = (["08:00", "13:30", "21:15"] as [TimeOfDay]).enumerated().map {
        Schedule(
          id: schedules[3 * index + $0], rule: .weekly(Set(Weekday.allCases)), times: [$1],
          unless: .done)
      }
      return habit
    }
  }

  private static func done(_ habit: Habit, on date: CivilDate) -> [Payload] {
    habit.schedules.map { schedule in
      .entryRecorded(
        EntryRecorded(
          habit: habit.id, date: date,
          kind: .occurrence(schedule: schedule.id, time: schedule.times[0])))
    }
  }

  private static func delivered(_ habit: Habit, on date: CivilDate) -> [Payload] {
    habit.schedules.map { schedule in
      let nominal = CivilDateTime(date: date, time: schedule.times[0])
      let occurrence = OccurrenceID(habit: habit.id, schedule: schedule.id, nominal: nominal)
      let minutes = Int64(date.rawValue) * 1_440 + Int64(nominal.time.minute)
      return .receiptAdvanced(
        ReceiptAdvanced(
          subject: .occurrence(occurrence), state: .delivered,
          fireAt: Instant(milliseconds: minutes * 60_000)))
    }
  }

  private static func record(
    _ payloads: [Payload], in store: Store, _ clock: ManualClock
  ) async throws {
    _ = try await store.log.record(
      Fixtures.events(payloads), wallClock: clock.now, expecting: nil)
  }
}
