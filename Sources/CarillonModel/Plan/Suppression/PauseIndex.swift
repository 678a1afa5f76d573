/// The pauses that affect each habit in a range of dates.
struct PauseIndex: Sendable {
  private let ofAll: [Pause]
  private let ofHabit: [HabitID: [Pause]]

  /// Creates an index of the pauses that cover a date.
  init(_ pauses: some Collection<Pause>) {
    let relevant = pauses.filter { pause in pause.last.map { $0 >= pause.first } ?? true }
    ofAll = relevant.filter { $0.habit == nil }
    ofHabit = relevant.reduce(into: [:]) { index, pause in
      if let habit = pause.habit { index[habit, default: []].append(pause) }
    }
  }

  /// The pauses of one habit and the pauses of all habits.
  subscript(habit: HabitID) -> [Pause] {
    guard let own = ofHabit[habit] else { return ofAll }
    return own + ofAll
  }
}
