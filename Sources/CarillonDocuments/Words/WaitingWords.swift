package import Carillon
package import CarillonModel

/// Why a habit has no occurrence in the days that are planned.
package struct WaitingWords: Sendable {
  private let horizonDays: Int
  private let time: LocalTime

  /// Reads from a store what the words name.
  package init(_ store: Store, _ time: LocalTime) async throws {
    horizonDays = try await store.settings().horizonDays
    self.time = time
  }

  /// Returns `on Mon 7 Dec 07:00, planned once it is within 8 days` for an occurrence after the
  /// horizon, else nil.
  package func later(_ next: Explanation?) -> String? {
    guard let next, next.reason == .beyondHorizon, let instant = next.fireAt else { return nil }
    return "on \(time.text(instant)), planned once it is within \(horizonDays.counted("day"))"
  }

  /// Returns what the reminder of a habit without an occurrence ahead waits for, if anything.
  package func entry(_ habit: Habit) -> String? {
    habit.schedules.contains(where: \.countsFromEntries)
      ? "waits until it is done, and counts from then" : nil
  }

  /// Returns what the reminder of a habit without an occurrence ahead waits for, or that none is in
  /// the days ahead.
  package func text(_ habit: Habit) -> String {
    entry(habit) ?? once(habit) ?? "no occurrence in the next \(horizonDays.counted("day"))"
  }

  /// Returns `it was once, Tue 3 Nov 11:00` for a habit with one date, else nil; `it is once` if
  /// that time is still to come.
  private func once(_ habit: Habit) -> String? {
    let calendar = CivilCalendar(zone: time.zone)
    let moments = habit.schedules.map { $0.lastOnce(onDevice: calendar) }
    guard let last = moments.compactMap(\.self).max(), !moments.contains(nil) else { return nil }
    let times = habit.schedules.reduce(0) { $0 + $1.times.count }
    let verb = last <= time.now ? "was" : "is"
    return (times == 1 ? "it \(verb) once, " : "the last one \(verb) ") + time.text(last)
  }
}

extension Schedule {
  /// Returns the last instant of a schedule that is for one date; nil for any other.
  fileprivate func lastOnce(onDevice calendar: CivilCalendar) -> Instant? {
    guard let date = rule.onceDate, let time = times.last else { return nil }
    return zone.calendar(onDevice: calendar)?.instant(of: CivilDateTime(date: date, time: time))
  }
}

extension Schedule.Rule {
  /// The date of a rule that fires once, or before or after that date; nil for all others.
  package var onceDate: CivilDate? {
    switch self {
    case .once(let date): date
    case .relative(let relative): relative.base.onceDate
    case .weekly, .everyDays, .recurrence, .interval, .place, .unknown: nil
    }
  }
}
