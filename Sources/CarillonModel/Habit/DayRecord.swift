/// One recorded fact about one date of one habit.
package struct DayRecord: Hashable, Sendable {
  /// The fact.
  package enum Fact: Hashable, Sendable {
    /// A live entry: its amount, the instant at which it was done, and its note.
    case done(EntryID, amount: Amount, at: Instant, note: String?)
    /// The date was skipped, or marked as not done.
    case marked(DayMark)
    /// A note on the date.
    case noted(String)
  }

  /// The habit.
  package let habit: HabitID
  /// The date for which the fact counts.
  package let date: CivilDate
  /// The fact.
  package let fact: Fact

  /// Creates a value from its parts.
  package init(habit: HabitID, date: CivilDate, fact: Fact) {
    self.habit = habit
    self.date = date
    self.fact = fact
  }
}
