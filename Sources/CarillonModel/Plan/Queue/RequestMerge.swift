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

  /// A request that fires at the soonest instant.
  private enum Soonest {
    case made(Candidate)
    /// The first request of a plain schedule, which has no source in the heap meanwhile.
    ///
    /// Its plan is made when the request gets a place.
    case plain(Int, RequestID)

    var id: RequestID {
      switch self {
      case .made(let candidate): candidate.id
      case .plain(_, let id): id
      }
    }
  }

  /// A request that does not fit.
  enum Rest {
    case request(Upcoming)
    /// The first request of a plain schedule whose plan was not made.
    case plain(PlainSchedule)
  }

  /// The number of occurrences whose instant and ID were computed.
  private(set) var computedCount = 0
  private let frame: PlanFrame
  let schedules: PlannedSchedules
  /// The habits whose occurrences snoozes or quiet hours may move.
  let habits: [HabitPlan]
  private var heap: Heap<Waiting> = []
  private var places: [Place] = []
  /// All requests that fire at ``soonestFire``, the last one first.
  private var soonest: [Soonest] = []
  /// The instant at which the soonest requests fire, if there are any.
  private var soonestFire: Instant?

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
  var nextFire: Instant? { soonest.isEmpty ? heap.min?.fireAt : soonestFire }

  /// Removes and returns the next request.
  mutating func next() -> Candidate? {
    if soonest.isEmpty { decide() }
    switch soonest.popLast() {
    case .none: return nil
    case .made(let candidate): return candidate
    case .plain(let index, let id):
      guard let first = places[index].next else { return nil }
      insertSecond(of: index)
      return Candidate(
        id: id, fireAt: first.instant, firing: Firing(first, of: schedules[index]))
    }
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
  ///     is left at the limit: its next one for which `visit` returns true, which it does for every
  ///     plain schedule.
  ///   - isOver: Whether no request that fires at an instant or later has to be visited.
  mutating func rest(
    upTo limit: Int, _ visit: (Rest) -> Bool, until isOver: (Instant) -> Bool
  ) -> Int {
    var count = soonest.count
    // The sources of plain schedules whose second request only counts.
    var counted: [Int] = []
    for one in soonest.reversed() {
      switch one {
      case .made(let candidate): _ = visit(.request(candidate.upcoming))
      case .plain(let index, _):
        if rest(of: index).map(visit) ?? true {
          counted.append(index)
        } else {
          insertSecond(of: index)
        }
      }
    }
    if count + heap.count < limit {
      for index in counted { insertSecond(of: index) }
    }
    while count + heap.count < limit, let waiting = heap.min {
      count += 1
      if !isOver(waiting.fireAt) { _ = rest(waiting).map(visit) }
      advance(waiting)
    }
    count += heap.count
    while let waiting = heap.min, !isOver(waiting.fireAt) {
      if rest(waiting).map(visit) ?? true { heap.removeMin() } else { advance(waiting) }
    }
    return min(count, limit)
  }

  /// Returns the next request of a source for ``rest(upTo:_:until:)``.
  private func rest(_ waiting: Waiting) -> Rest? {
    if case .schedule(let index) = waiting.source { return rest(of: index) }
    return upcoming(waiting).map(Rest.request)
  }

  /// Returns the next request of a schedule at its own instant.
  private func rest(of index: Int) -> Rest? {
    if places[index].count == 0, !schedules.isMade(index), let plain = schedules.named(index) {
      return .plain(plain)
    }
    return places[index].next.map { .request(schedules[index].upcoming($0)) }
  }

  /// Computes the IDs of all requests that fire at the soonest instant, because the ID decides
  /// their order.
  private mutating func decide() {
    guard let fireAt = heap.min?.fireAt else { return }
    soonestFire = fireAt
    while let waiting = heap.min, waiting.fireAt == fireAt {
      if case .schedule(let index) = waiting.source, places[index].count == 0,
        let id = schedules.firstID(of: index)
      {
        computedCount += 1
        soonest.append(.plain(index, id))
        heap.removeMin()
        continue
      }
      if let next = upcoming(waiting) {
        computedCount += 1
        soonest.append(.made(Candidate(next)))
      }
      advance(waiting)
    }
    if soonest.count > 1 {
      // Indices are moved, and IDs compared, with less effort than candidates.
      let ids = soonest.map(\.id)
      soonest = ids.indices.sorted { ids[$0] > ids[$1] }.map { soonest[$0] }
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

  /// Adds the second request of a plain schedule, whose first one was removed from the heap.
  private mutating func insertSecond(of index: Int) {
    if let next = next(of: index) { heap.insert(next) }
  }

  /// Steps to the next occurrence of a schedule, and returns its instant.
  private mutating func next(of index: Int) -> Waiting? {
    places[index].count += 1
    places[index].next = schedules[index].next(
      after: places[index].next, count: places[index].count)
    return places[index].next.map { Waiting(fireAt: $0.instant, source: .schedule(index)) }
  }

  /// Replaces the heap's minimum with the next instant of its source.
  private mutating func advance(_ waiting: Waiting) {
    var next: Waiting?
    switch waiting.source {
    case .schedule(let index): next = self.next(of: index)
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
