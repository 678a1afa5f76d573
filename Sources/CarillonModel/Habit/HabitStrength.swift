import Foundation

extension AdherenceDates {
  /// Computes how strongly the habit is established on each date, from 0 to 1.
  ///
  /// This is the score of Loop Habit Tracker, which moves on each date that counts towards what
  /// was kept then. For a habit of *n* times in *d* days it covers half of the distance in
  /// 13 × √(d / n) days.
  ///
  /// - With a goal over several days, each date counts. What was kept is the part of the goal that
  ///   the last *d* days contain. If the habit is not counted and *n* is less than *d*, it is half
  ///   of what the last 2 × *d* days contain.
  /// - Otherwise the dates on which a schedule is due count, and n / d is their share of all dates.
  ///   A late date was kept.
  /// - A date that is skipped, paused, or outside the habit's start and end changes nothing.
  ///
  /// - Parameter days: The state of each date from the first to today.
  /// - Complexity: O(dates).
  func strengths(_ days: [Adherence.Day]) -> [Double] {
    let window = window
    let step = pow(0.5, shareOfHalf(days.count))
    var (strength, sum) = (habit.isMaximum ? 1.0 : 0.0, 0.0)
    // A range of dates takes longer to walk than their indices.
    let parts = days.indices.map { part(first.adding(days: $0)) }
    return days.indices.map { index in
      sum += parts[index]
      if index >= window.days { sum -= parts[index - window.days] }
      guard moves(first.adding(days: index), days[index]) else { return strength }
      let part = days[index] == .late ? 1 : sum / window.count
      let kept = min(max(habit.isMaximum ? 2 - part : part, 0), 1)
      strength = kept + (strength - kept) * step
      return strength
    }
  }

  /// Whether a date changes the strength.
  private func moves(_ date: CivilDate, _ day: Adherence.Day) -> Bool {
    habit.counts(date) && ![.skipped, .paused, .absent].contains(day)
      && (goal != nil || isDue(date) && day != .idle)
  }

  /// The number of days that count together, and the number of completions that they should have.
  private var window: (days: Int, count: Double) {
    guard let goal else { return (1, 1) }
    let factor = habit.kind == .yesNo && goal.count < goalDays ? 2 : 1
    return (factor * goalDays, Double(factor * goal.count))
  }

  /// The number of days of the goal, 30 for a month.
  private var goalDays: Int { goal?.period == .month ? 30 : goal?.period.length ?? 1 }

  /// Returns the reciprocal of the number of dates in which the strength covers half of its
  /// distance.
  private func shareOfHalf(_ dateCount: Int) -> Double {
    if let goal { return (Double(goal.count) / Double(goalDays)).squareRoot() / 13 }
    var (counting, due) = (0, 0)
    for index in 0..<dateCount {
      let date = first.adding(days: index)
      guard habit.counts(date) else { continue }
      counting += 1
      if isDue(date) { due += 1 }
    }
    return (Double(counting) / Double(max(due, 1))).squareRoot() / 13
  }

  /// The part of one completion that a date contains, at most 1 except for a maximum.
  private func part(_ date: CivilDate) -> Double {
    guard let day = known(date), day.entryCount > 0 else { return 0 }
    guard habit.kind == .count, let target = habit.target else { return habit.isKept(day) ? 1 : 0 }
    // A target of 0 is reached by any entry, and exceeded by any amount.
    guard target > .zero else { return habit.isMaximum && day.amount > .zero ? 2 : 1 }
    let part = Double(day.amount.thousandths) / Double(target.thousandths)
    return habit.isMaximum ? part : min(part, 1)
  }
}
