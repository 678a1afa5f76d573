import Carillon
import CarillonDocuments
import CarillonModel

extension Call {
  /// Returns a warning for each habit with a schedule of which quiet hours drop every reminder in
  /// the days ahead.
  ///
  /// - Parameter id: The habit to check; nil for all.
  func quietHoursWarnings(_ store: Store, of id: HabitID? = nil) async throws -> [String] {
    let settings = try await store.settings()
    guard let quietHours = settings.quietHours else { return [] }
    let today = try await store.today()
    var warnings: [String] = []
    for habit in try await store.habits() where id.map({ $0 == habit.id }) ?? true {
      let drops = Set(habit.schedules.lazy.filter { $0.quietPolicy == .drop }.map(\.id))
      guard !drops.isEmpty else { continue }
      var (dropped, others) = (Set<ScheduleID>(), Set<ScheduleID>())
      for date in (0..<settings.horizonDays).map({ today.adding(days: $0) }) {
        for occurrence in try await store.explain(habit.id, on: .date(date))
        where drops.contains(occurrence.schedule) && !occurrence.isPast {
          if occurrence.reason == .quietHours {
            dropped.insert(occurrence.schedule)
          } else {
            others.insert(occurrence.schedule)
          }
        }
      }
      guard let silenced = dropped.subtracting(others).min() else { continue }
      let edit = "\(output.carillon) schedule edit \(silenced) --quiet-hours defer"
      warnings.append(
        "quiet hours \(quietHours) drop all reminders of \(habit.title.printable); to be reminded "
          + "when they end: \(edit)")
    }
    return warnings
  }
}
