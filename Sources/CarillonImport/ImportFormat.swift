/// The format of the data that an import reads.
public enum ImportFormat: String, Hashable, Sendable, CaseIterable {
  /// The backup database of Loop Habit Tracker, of any released version.
  case loop
  /// The folder of Loop's CSV export, or `Habits.csv` or `Checkmarks.csv` in it.
  case loopCSV = "loop-csv"
  /// HabitBull's CSV.
  case habitBull = "habitbull"
  /// An iCalendar file, as exported by Apple's and Google's calendars.
  case ics
}
