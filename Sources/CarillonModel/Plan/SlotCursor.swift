/// Yields the occurrences of one slot in the order in which they fire, one at a time, without
/// making instants.
struct SlotCursor {
  /// One occurrence that is wanted, or the next one of a repeating request.
  struct Candidate {
    let nominal: CivilDateTime
    /// When it fires, in civil seconds.
    let firing: Int
    /// The repeating request that it stands for, or nil for a request of its own.
    let repeating: RepeatTrigger?
  }

  let plan: SlotPlan
  private var batch: ArraySlice<Candidate> = []
  /// Nil once the rule has no more dates.
  private var nextDate: CivilDate?

  init(_ plan: SlotPlan) {
    self.plan = plan
    nextDate = plan.firstDate
  }

  /// The next occurrence, with another one where two nominal times fire at one instant; empty when
  /// there are no more.
  ///
  /// - Complexity: O(1) but for silent dates, which are stepped over.
  mutating func next() -> ArraySlice<Candidate> {
    while batch.isEmpty {
      guard let date = nextDate.flatMap(plan.rule.firstDate(onOrAfter:)), date <= plan.lastDate
      else { return [] }
      let last = plan.window.mixedDates(around: date)?.upperBound ?? date
      batch = candidates(on: date...last)[...]
      nextDate = last.adding(days: 1)
    }
    let firing = batch.first?.firing
    let end = batch.firstIndex { $0.firing != firing } ?? batch.endIndex
    defer { batch = batch[end...] }
    return batch[..<end]
  }

  private func candidates(on dates: ClosedRange<CivilDate>) -> [Candidate] {
    var found: [Candidate] = []
    found.reserveCapacity(plan.times.count)
    for date in dates where plan.rule.contains(date) {
      plan.appendCandidates(on: date, to: &found)
    }
    if !plan.window.gaps.isEmpty {
      found.sort { ($0.firing, $0.nominal) < ($1.firing, $1.nominal) }
    }
    return found
  }
}
