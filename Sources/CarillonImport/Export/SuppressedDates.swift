import CarillonModel

/// The dates on which a habit does not remind, although its schedules are due: skipped ones, and
/// those of pauses.
struct SuppressedDates {
  /// The dates, those from today on first.
  let ranges: [ClosedRange<CivilDate>]
  /// The last date before a pause without an end; nil if there is none.
  let last: CivilDate?
  private let skipped: Set<CivilDate>

  /// Creates the dates of a habit from its state.
  init(of habit: Habit, in state: StoreState, today: CivilDate) {
    skipped = Set(
      (state.days[habit.id] ?? [:])
        .filter { $0.day.mark == .skip && !$0.day.isDone(habit) }.map(\.date))
    let pauses = state.pauses.values.filter { $0.habit == nil || $0.habit == habit.id }
    last = pauses.filter { $0.last == nil }.map { $0.first.adding(days: -1) }.min()
    let closed = pauses.compactMap { pause in
      pause.last.flatMap { pause.first <= $0 ? pause.first...$0 : nil }
    }
    let all = skipped.map { $0...$0 } + closed
    ranges =
      all.filter { $0.upperBound >= today }.sorted { $0.lowerBound < $1.lowerBound }
      + all.filter { $0.upperBound < today }.sorted { $0.lowerBound > $1.lowerBound }
  }

  /// Whether a date is suppressed, other than by a pause without an end.
  func contains(_ date: CivilDate) -> Bool {
    skipped.contains(date) || ranges.contains { $0.contains(date) }
  }
}
