public import CarillonModel
import CarillonSQLite

extension Store {
  /// How well a habit was kept up to today: its streaks, weeks and months.
  ///
  /// - Throws: `notFound` where there never was such a habit; `io`, `corrupt`.
  /// - Complexity: O(what is known of the habit's dates).
  public func adherence(of id: HabitID) async throws -> Adherence {
    try await read { context in
      Adherence(
        of: try context.habit(id), days: try context.reader.days(of: id),
        pauses: try context.reader.pauses(), today: context.today,
        calendar: CivilCalendar(zone: context.zone))
    }
  }
}
