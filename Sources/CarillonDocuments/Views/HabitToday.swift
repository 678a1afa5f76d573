package import CarillonModel

/// A habit and its state today.
package struct HabitToday: Sendable {
  /// Whether the habit is done, or due.
  package enum State: String, Sendable {
    case done, skipped, paused, open
    /// Not due.
    case none
  }

  package let habit: Habit
  package let state: State
  /// The state in words; without a due date `not due`, or `goal reached`.
  package let text: String
  /// What was recorded today.
  let amount: Amount

  /// Derives the state from what is recorded for a date, and the state of the date.
  init(_ habit: Habit, _ recorded: StoreState, _ today: CivilDate, _ day: Adherence.Day?) {
    self.habit = habit
    amount = recorded.days[habit.id]?[today]?.amount ?? .zero
    state =
      if recorded.isDone(habit, on: today) {
        .done
      } else if recorded.days[habit.id]?[today]?.mark == .skip {
        .skipped
      } else if habit.isDeleted || habit.isArchived {
        .none
      } else {
        switch day ?? .idle {
        case .paused: .paused
        // A habit with a maximum is done until it fails, so it is still open.
        case .open, .late, .missed, .done: .open
        case .covered, .skipped, .idle, .absent: .none
        }
      }
    text = state.text(of: habit, amount, isCovered: day == .covered)
  }
}

extension HabitToday.State {
  fileprivate func text(of habit: Habit, _ amount: Amount, isCovered: Bool) -> String {
    if habit.isDeleted { return "deleted" }
    if habit.isArchived { return "archived" }
    switch self {
    case .done, .paused, .skipped: return rawValue
    case .open, .none:
      guard let target = habit.target, habit.kind == .count, self == .open || amount > 0 else {
        return self == .open ? "open" : isCovered ? "goal reached" : "not due"
      }
      let unit = habit.unit.map { " " + $0 } ?? ""
      guard habit.direction == .atMost else { return "\(amount)/\(target)\(unit)" }
      return "\(amount) of at most \(target)\(unit)" + (amount > target ? ", over" : "")
    }
  }
}
