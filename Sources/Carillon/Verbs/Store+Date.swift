import CarillonModel
import CarillonSQLite
import Foundation

/// The dates that verbs use when the caller names none.
extension Store {
  /// Returns today in the zone that all of the habit's schedules share; in the device's zone if
  /// they share none.
  func today(of habit: Habit, _ context: Context) -> CivilDate {
    let zones = Set(habit.schedules.map(\.civilZone))
    guard case .fixed(let name)? = zones.first, zones.count == 1,
      let zone = TimeZone(identifier: name)
    else { return context.today }
    return LogicalDate.of(context.now, in: zone, dayStart: context.settings.dayStart)
  }

  /// Returns the due date of the occurrence that fired last, if that was within 24 hours and the
  /// date is not done; else today.
  func dateDone(_ habit: Habit, _ context: Context) throws -> CivilDate {
    let today = today(of: habit, context)
    guard let last = try fired(habit, hours: 24, context).last, last.due != today else {
      return today
    }
    return try context.reader.entries(of: habit.id, on: last.due).isEmpty ? last.due : today
  }

  /// Returns the date of the latest record made today.
  ///
  /// This is today or the due date of an occurrence that fired within the last 48 hours.
  func dateUndone(_ habit: Habit, _ context: Context) throws -> CivilDate {
    let today = today(of: habit, context)
    let midnight = CivilCalendar(zone: context.zone).instant(
      of: CivilDateTime(date: context.today, time: context.settings.dayStart))
    var last = (
      date: today,
      event: max(
        try lastRecording(of: habit, on: today, context),
        try context.reader.markEvent(of: habit.id, on: today) ?? .least)
    )
    let dates = Set(try fired(habit, hours: 48, context).map(\.due) + [context.today])
    for date in dates.subtracting([today]) {
      let times = try context.reader.entryTimes(of: [habit.id], range: date...date)[habit.id] ?? []
      guard let midnight, times.contains(where: { $0 >= midnight }) else { continue }
      let event = try lastRecording(of: habit, on: date, context)
      if event > last.event { last = (date, event) }
    }
    return last.date
  }

  private func lastRecording(
    of habit: Habit, on date: CivilDate, _ context: Context
  ) throws -> EventID {
    try context.reader.entries(of: habit.id, on: date).compactMap(\.recordings.last).max()
      ?? .least
  }

  /// Returns the occurrences of a habit that fired in the last `hours` hours, computed from its
  /// current schedules.
  private func fired(
    _ habit: Habit, hours: Int, _ context: Context
  ) throws -> [FiredOccurrence] {
    let start = Instant(milliseconds: context.now.milliseconds - Int64(hours) * 3_600_000)
    return try planner(of: habit, since: start, context).fired(
      habit.id, since: start, schedules: context.reader.schedulesWritten(of: habit.id))
  }

  /// Returns a planner that knows one habit, with the state needed to compute what fired since
  /// `start`.
  func planner(of habit: Habit, since start: Instant, _ context: Context) throws -> Planner {
    let settings = planSettings(context)
    return Planner(
      state: try context.reader.state(
        of: habit, range: Planner.range(now: start, settings: settings)),
      settings: settings, device: context.device, now: context.now)
  }
}

extension EventID {
  /// An ID less than that of any event.
  static let least = EventID(words: (0, 0, 0, 0))
}
