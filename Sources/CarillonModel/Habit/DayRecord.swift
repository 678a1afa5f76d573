/// One thing that is said of one date of one habit.
public struct DayRecord: Hashable, Sendable {
  /// What is said.
  public enum Fact: Hashable, Sendable {
    /// An entry that lives: its value in thousandths, when it was done, and its note.
    case done(EntryID, value: Int64, at: Instant, note: String?)
    /// The date was skipped, or not done.
    case marked(DayMark)
    /// A note on the date.
    case noted(String)
  }

  /// The habit.
  public let habit: HabitID
  /// The date for which it counts.
  public let date: CivilDate
  /// What is said.
  public let fact: Fact

  /// Makes a value of its parts.
  public init(habit: HabitID, date: CivilDate, fact: Fact) {
    self.habit = habit
    self.date = date
    self.fact = fact
  }
}
