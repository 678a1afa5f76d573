public import CarillonModel
import CarillonSQLite

extension Store {
  /// How well a habit was kept up to today: its streaks, weeks and months.
  ///
  /// Without a start of its own it counts from the date on which it was created, or from the first
  /// of which something is known, whichever is earlier.
  ///
  /// - Throws: `notFound` where there never was such a habit; `io`, `corrupt`.
  /// - Complexity: O(what is known of the habit's dates).
  public func adherence(of id: HabitID) async throws -> Adherence {
    try await read { context in
      let creation = try context.reader.creation(of: id)
      return Adherence(
        of: try context.habit(id), created: creation.map(context.date(of:)) ?? context.today,
        days: try context.reader.days(of: id), pauses: try context.reader.pauses(),
        today: context.today, calendar: CivilCalendar(zone: context.zone))
    }
  }
}

extension Context {
  /// The logical date on which an event was written, in the device's zone.
  fileprivate func date(of event: EventID) -> CivilDate {
    LogicalDate.of(
      Instant(milliseconds: event.timestamp.milliseconds), in: zone,
      dayStart: settings.dayStart)
  }
}
