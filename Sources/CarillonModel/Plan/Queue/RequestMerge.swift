internal import HeapModule

/// Merges the requests of all habits by the instant at which they fire, without expanding all of
/// them.
///
/// The heap holds only the next instant of each source. The requests that fire at the soonest
/// instant have their IDs computed together, because the ID decides their order.
struct RequestMerge {
  /// The next instant of a source.
  private struct Waiting: Comparable {
    let fireAt: Instant
    let source: Source

    static func < (left: Self, right: Self) -> Bool { left.fireAt < right.fireAt }
    static func == (left: Self, right: Self) -> Bool { left.fireAt == right.fireAt }
  }

  /// A source of requests.
  ///
  /// The index refers to the schedules or the habits.
  private enum Source {
    /// The occurrences of a schedule at their own instants, or the repeating requests of a schedule
    /// that the system repeats entirely.
    case schedule(Int)
    /// The repeating requests for some times of a schedule.
    case chosen(Int, count: Int)
    /// The snoozed occurrences of a habit.
    case snoozed(Int, count: Int)
    /// The occurrences of a habit that quiet hours defer.
    case merged(Int, count: Int)
  }

  /// The next occurrence of a schedule, and the number of occurrences before it.
  private struct Place {
    var next: Occurrence?
    var count = 0
  }

  /// The number of occurrences whose instant and ID were computed.
  private(set) var computedCount = 0
  private let frame: PlanFrame
  let schedules: PlannedSchedules
  /// The habits whose occurrences snoozes or quiet hours may move.
  let habits: [HabitPlan]
  private var heap: Heap<Waiting> = []
  private var places: [Place] = []
  /// All candidates that fire at the soonest instant, the last one first.
  private var soonest: [Candidate] = []

  init(_ schedules: PlannedSchedules, _ habits: [HabitPlan], frame: PlanFrame) {
    self.frame = frame
    self.schedules = schedules
    self.habits = habits
    var waiting: [Waiting] = []
    waiting.reserveCapacity(schedules.count)
    places.reserveCapacity(schedules.count)
    for index in 0..<schedules.count {
      let next = schedules.firstOccurrence(of: index)
      places.append(Place(next: next))
      if let next { waiting.append(Waiting(fireAt: next.instant, source: .schedule(index))) }
      if let first = schedules.chosenRepeats(of: index)?.next.first {
        waiting.append(Waiting(fireAt: first.instant, source: .chosen(index, count: 0)))
      }
    }
    for index in habits.indices {
      if let first = habits[index].snoozedFirings.first {
        waiting.append(Waiting(fireAt: first.fireAt, source: .snoozed(index, count: 0)))
      }
      if let batch = batch(of: index, from: 0) { waiting.append(batch) }
    }
    heap = Heap(waiting)
  }

  /// The instant at which the next request fires.
  var nextFire: Instant? { soonest.last?.fireAt ?? heap.min?.fireAt }

  /// Removes and returns the next request.
  mutating func next() -> Candidate? {
    if soonest.isEmpty { decide() }
    return soonest.popLast()
  }

  /// Returns the next occurrence of a schedule that has a request at its own instant.
  func firstOccurrence(of index: Int) -> Occurrence? { places[index].next }

  /// Consumes the remaining requests as far as needed to count them up to a limit, and returns
  /// their number.
  ///
  /// Each source in the heap has at least one request left.
  ///
  /// - Parameters:
  ///   - visit: Receives each consumed request, soonest first, and one request of each source that
  ///     is left at the limit: its next one for which `visit` returns true.
  ///   - isOver: Whether no request that fires at an instant or later has to be visited.
  mutating func rest(
    upTo limit: Int, _ visit: (Upcoming) -> Bool, until isOver: (Instant) -> Bool
  ) -> Int {
    var count = soonest.count
    for candidate in soonest.reversed() { _ = visit(candidate.upcoming) }
    while count + heap.count < limit, let waiting = heap.min {
      count += 1
      if !isOver(waiting.fireAt) { _ = upcoming(waiting).map(visit) }
      advance(waiting)
    }
    count += heap.count
    while let waiting = heap.min, !isOver(waiting.fireAt) {
      if upcoming(waiting).map(visit) ?? true { heap.removeMin() } else { advance(waiting) }
    }
    return min(count, limit)
  }

  /// Computes the IDs of all requests that fire at the soonest instant, because the ID decides
  /// their order.
  private mutating func decide() {
    guard let fireAt = heap.min?.fireAt else { return }
    while let waiting = heap.min, waiting.fireAt == fireAt {
      if let next = upcoming(waiting) {
        computedCount += 1
        soonest.append(Candidate(next))
      }
      advance(waiting)
    }
    if soonest.count > 1 {
      // Indices are moved with less effort than candidates.
      let order = soonest.indices.sorted { soonest[$0].id > soonest[$1].id }
      soonest = order.map { soonest[$0] }
    }
  }

  private func upcoming(_ waiting: Waiting) -> Upcoming? {
    switch waiting.source {
    case .schedule(let index):
      return places[index].next.map(schedules[index].upcoming)
    case .chosen(let index, let count):
      return schedules.chosenRepeats(of: index).map { schedules[index].upcoming($0.next[count]) }
    case .snoozed(let index, let count):
      return Upcoming(firing: habits[index].snoozedFirings[count])
    case .merged(let index, _):
      return habits[index].batch(at: waiting.fireAt).last.map {
        Upcoming(firing: $0.deferred(to: waiting.fireAt))
      }
    }
  }

  /// Replaces the heap's minimum with the next instant of its source.
  private mutating func advance(_ waiting: Waiting) {
    var next: Waiting?
    switch waiting.source {
    case .schedule(let index):
      places[index].count += 1
      places[index].next = schedules[index].next(
        after: places[index].next, count: places[index].count)
      next = places[index].next.map { Waiting(fireAt: $0.instant, source: waiting.source) }
    case .chosen(let index, let count):
      if let chosen = schedules.chosenRepeats(of: index), count + 1 < chosen.next.count {
        next = Waiting(
          fireAt: chosen.next[count + 1].instant, source: .chosen(index, count: count + 1))
      }
    case .snoozed(let index, let count):
      if count + 1 < habits[index].snoozedFirings.count {
        next = Waiting(
          fireAt: habits[index].snoozedFirings[count + 1].fireAt,
          source: .snoozed(index, count: count + 1))
      }
    case .merged(let index, let count): next = batch(of: index, from: count + 1)
    }
    if let next { heap.replaceMin(with: next) } else { heap.removeMin() }
  }

  /// Returns the next end of quiet hours at which only deferred occurrences of the habit fire.
  private func batch(of index: Int, from first: Int) -> Waiting? {
    guard first < frame.quietEnds.count, habits[index].mayDefer else { return nil }
    for count in first..<frame.quietEnds.count {
      let end = frame.quietEnds[count]
      // The coincident firing is checked first, because it is one, while there may be many deferred
      // ones.
      if habits[index].coincident(at: end) == nil, habits[index].batch(at: end).last != nil {
        return Waiting(fireAt: end, source: .merged(index, count: count))
      }
    }
    return nil
  }
}
