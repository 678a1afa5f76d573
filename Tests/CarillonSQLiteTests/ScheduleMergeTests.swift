import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

/// The merge rules of schedules: a register for each field, in every order of arrival.
struct ScheduleMergeTests {
  private static let habit = HabitID(high: 1, low: 1)
  private static let id = ScheduleID(high: 3, low: 1)
  private static let daily = Schedule(
    id: id, rule: .weekly(Set(Weekday.allCases)), times: ["17:00"])

  @Test("Edits of different fields both hold")
  func fields() async throws {
    var (onWatch, onPhone) = (Self.daily, Self.daily)
    onWatch.setTimes(["19:00"])
    onPhone.rule = .weekly([.monday, .wednesday, .friday])
    try await expect([.edit(onWatch), .edit(onPhone)]) {
      $0 == Schedule(id: Self.id, rule: onPhone.rule, times: ["19:00"])
    }
  }

  @Test("An edit writes the fields that change, and the first event all that are not default")
  func edits() throws {
    var schedule = Self.daily
    #expect(ScheduleSet(habit: Self.habit, schedule: schedule).fields == [.rule, .times])
    schedule.content.title = "Now"
    schedule.setTimes([])
    let edit = ScheduleSet(habit: Self.habit, from: Self.daily, to: schedule)
    #expect(edit.fields == [.times, .title] && edit.schedule.rule != Self.daily.rule)
    #expect(ScheduleSet(habit: Self.habit, from: schedule, to: schedule).fields.isEmpty)
  }

  @Test("A cleared field has its default")
  func cleared() async throws {
    var full = Self.daily
    (full.unless, full.zone, full.quietPolicy) = (.done, .fixed("Asia/Tokyo"), .drop)
    (full.quota, full.stopAfterDays, full.content.data) = (Quota("3/week"), 0, ["a": "b"])
    try await expect([.edit(full), .edit(Self.daily, from: full)]) { $0 == Self.daily }
  }

  @Test("Of a removal and an edit, the later wins, and the edit brings back every field")
  func removal() async throws {
    var edited = Self.daily
    edited.unless = .done
    try await expect([.edit(edited), .removal]) { $0 == nil }
    try await expect([.removal, .edit(edited)]) { $0 == edited }
  }

  @Test("Times do not apply to a rule with its own, and apply again to another rule")
  func ownTimes() async throws {
    let interval = Schedule(
      id: Self.id,
      rule: .interval(Schedule.Interval(seconds: 7_200, from: Instant(milliseconds: 0))), times: [])
    var (later, weekly) = (Self.daily, Self.daily)
    later.setTimes(["20:00"])
    weekly.rule = .weekly([.sunday])
    // The other device did not know of the interval.
    try await expect([.edit(interval), .edit(later)]) { $0 == interval }
    try await expect([.edit(interval), .edit(weekly)]) { $0 == weekly }
    // One that knows of the interval decides about the times as well.
    var silent = weekly
    silent.setTimes([])
    try await expect([.edit(interval), .edit(silent, from: interval)]) { $0 == silent }
  }

  @Test("A recurrence's own zone counts, whatever the schedule's zone is")
  func zones() async throws {
    var (zoned, recurring) = (Self.daily, Self.daily)
    zoned.zone = .fixed("Asia/Tokyo")
    recurring.rule = .recurrence(
      try Recurrence(parsing: "DTSTART;TZID=Europe/Berlin:20261123T090000\nRRULE:FREQ=DAILY"))
    recurring.setTimes([])
    try await expect([.edit(recurring), .edit(zoned)]) { $0 == recurring }
    try await expect([.edit(zoned), .edit(recurring)]) { $0 == recurring }
    // The zone in the register does not come back.
    try await expect([.edit(zoned), .edit(recurring), .edit(Self.daily, from: recurring)]) {
      $0 == Self.daily
    }
  }

  @Test("An edit without known fields changes nothing")
  func laterVersion() async throws {
    var history = try Self.history([])
    try history.add(
      .scheduleSet(ScheduleSet(habit: Self.habit, schedule: Self.daily, fields: [])))
    try await Self.expect(history) { $0 == Self.daily }
  }

  // MARK: -

  private enum Event {
    /// An edit of a replica that knew a state, at first ``daily``.
    case edit(Schedule, from: Schedule = ScheduleMergeTests.daily)
    case removal
  }

  /// Adds the events after the one that creates ``daily``, one on each replica.
  private static func history(_ events: [Event]) throws -> History {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk"))))
    try history.add(.scheduleSet(ScheduleSet(habit: habit, schedule: daily)))
    for (number, event) in events.enumerated() {
      let payload: Payload =
        switch event {
        case .edit(let new, let old):
          .scheduleSet(ScheduleSet(habit: habit, from: old, to: new))
        case .removal: .scheduleRemoved(ScheduleRemoved(habit: habit, schedule: id))
        }
      try history.add(payload, replica: ReplicaID(high: 7, low: UInt64(number + 2)))
    }
    return history
  }

  private func expect(_ events: [Event], _ isExpected: (Schedule?) -> Bool) async throws {
    try await Self.expect(try Self.history(events), isExpected)
  }

  private static func expect(
    _ history: History, _ isExpected: (Schedule?) -> Bool
  ) async throws {
    try await history.expectOne { state in
      let schedule = state.habits[habit]?.schedules.first
      #expect(isExpected(schedule), "\(schedule.map { "\($0)" } ?? "none")")
    }
  }
}
