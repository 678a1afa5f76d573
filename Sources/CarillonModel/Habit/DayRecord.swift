/// One recorded fact about one date of one habit.
public struct DayRecord: Hashable, Sendable {
  /// The fact.
  public enum Fact: Hashable, Sendable {
    /// A live entry: its value in thousandths, the instant at which it was done, and its note.
    case done(EntryID, value: Int64, at: Instant, note: String?)
    /// The date was skipped, or marked as not done.
    case marked(DayMark)
    /// A note on the date.
    case noted(String)
  }

  /// The habit.
  public let habit: HabitID
  /// The date for which the fact counts.
  public let date: CivilDate
  /// The fact.
  public let fact: Fact

  /// Creates a value from its parts.
  public init(habit: HabitID, date: CivilDate, fact: Fact) {
    self.habit = habit
    self.date = date
    self.fact = fact
  }
}
