package import CarillonModel

/// The occurrences of the coming dates.
package struct UpcomingOccurrences: Sendable {
  /// The habits in use, in the order of lists, each with its occurrences by date.
  package fileprivate(set) var habits: [(habit: Habit, occurrences: [CivilDate: [Explanation]])]
  /// The dates that were explained.
  package fileprivate(set) var dates: ClosedRange<CivilDate>
  /// Whether all were explained: the maximum number of occurrences was not reached.
  package fileprivate(set) var isComplete = true
}

extension Store {
  /// Explains the occurrences of the habits in use that fire on some dates, or are due on them and
  /// suppressed, in the order of the habits.
  ///
  /// One that fires on another date than its due date is only listed there.
  ///
  /// Other queries of the store wait meanwhile, so the work is bounded: it ends with the last date
  /// on which the maximum is not exceeded. If the first date alone exceeds it, the occurrences of
  /// the first habits are returned.
  ///
  /// - Parameter maxCount: The maximum number of occurrences.
  /// - Throws: `cancelled` if the task is cancelled; the errors of the projections.
  /// - Complexity: O(occurrences of all habits on the dates), at most O(`maxCount`) and the
  ///   occurrences of one habit on one date.
  package func upcoming(
    on dates: ClosedRange<CivilDate>, maxCount: Int
  ) async throws(StoreError) -> UpcomingOccurrences {
    try await longRead { context, check in
      // What fires on a date may be due two days before it.
      let explainer = try self.explainer(context, including: dates.lowerBound.adding(days: -2))
      return try explainer.upcoming(context, on: dates, maxCount: maxCount, check)
    }
  }
}

extension Explainer {
  /// Explains the occurrences of the dates, one date after the other.
  ///
  /// - Parameter check: Called before each habit of each date; throws to end the work.
  fileprivate func upcoming(
    _ context: Context, on dates: ClosedRange<CivilDate>, maxCount: Int, _ check: () throws -> Void
  ) throws -> UpcomingOccurrences {
    let listed = Array(habits.values).listed(includingArchived: false, includingDeleted: false)
    var found = UpcomingOccurrences(habits: listed.map { ($0, [:]) }, dates: dates)
    var count = 0
    for date in dates {
      for (index, habit) in listed.enumerated() {
        try check()
        let all = explain(habit.id, on: date, includingMoved: true)
          .filter { $0.due != date || context.date(of: $0) == date }
        count += all.count
        guard count <= maxCount else {
          found.end(before: date, maxCount: maxCount, last: all, of: index)
          return found
        }
        found.habits[index].occurrences[date] = all
      }
    }
    return found
  }
}

extension UpcomingOccurrences {
  /// Ends the dates before one on which the maximum is exceeded; the first date stays.
  fileprivate mutating func end(
    before date: CivilDate, maxCount: Int, last: [Explanation], of index: Int
  ) {
    isComplete = false
    guard date == dates.lowerBound else {
      for index in habits.indices { habits[index].occurrences[date] = nil }
      dates = dates.lowerBound...date.adding(days: -1)
      return
    }
    dates = date...date
    let count = habits.reduce(0) { $0 + ($1.occurrences[date]?.count ?? 0) }
    habits[index].occurrences[date] = Array(last.prefix(maxCount - count))
  }
}

extension Context {
  /// Returns the date on which an occurrence fires, or its due date if it does not.
  fileprivate func date(of explanation: Explanation) -> CivilDate {
    guard explanation.reason.fires, let fireAt = explanation.fireAt else { return explanation.due }
    return LogicalDate.of(fireAt, in: zone, dayStart: settings.dayStart)
  }
}
