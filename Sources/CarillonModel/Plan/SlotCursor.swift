/// Yields the occurrences of one slot in the order in which they fire, one at a time, without
/// making instants or lists.
struct SlotCursor {
  /// One occurrence that is wanted, or the next one of a repeating request.
  struct Candidate: Comparable {
    let nominal: CivilDateTime
    /// When it fires, in civil seconds.
    let firing: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.firing, left.nominal) < (right.firing, right.nominal)
    }
  }

  /// The dates that are looked at; nil once there are no more.
  private var dates: ClosedRange<CivilDate>?
  /// The last one yielded of these dates.
  private var last: Candidate?

  init(_ plan: SlotPlan) {
    dates = plan.dates(onOrAfter: plan.firstDate)
  }

  /// The next occurrence of the slot, or nil when there are no more.
  ///
  /// - Complexity: O(times) but for silent dates, which are stepped over.
  mutating func next(of plan: SlotPlan) -> Candidate? {
    while let dates {
      last = plan.firstCandidate(on: dates, after: last)
      if let last { return last }
      self.dates = plan.dates(onOrAfter: dates.upperBound.adding(days: 1))
    }
    return nil
  }
}
