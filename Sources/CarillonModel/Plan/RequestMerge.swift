internal import HeapModule

/// Merges the requests of all habits by the instant at which they fire; never expands them all.
///
/// Each source waits in the heap with its next instant alone. Those that come at one instant get
/// their ids, which decide which is first.
struct RequestMerge {
  /// The next instant of a source.
  private struct Waiting: Comparable {
    let fireAt: Instant
    let source: Source

    static func < (left: Self, right: Self) -> Bool { left.fireAt < right.fireAt }
    static func == (left: Self, right: Self) -> Bool { left.fireAt == right.fireAt }
  }

  /// Where requests come from, each by its instants: an index into the schedules or the habits.
  private enum Source {
    /// What fires when its schedule says, and where the system repeats all of a schedule, that.
    case schedule(Int)
    /// What the system repeats of some times of a schedule.
    case chosen(Int, count: Int)
    /// What the person snoozed of a habit.
    case moved(Int, count: Int)
    /// What quiet hours put off of a habit.
    case merged(Int, count: Int)
  }

  /// The next occurrence of a schedule, and how many came before.
  private struct Place {
    var next: Occurrence?
    var count = 0
  }

  /// How many occurrences got their instant and their id.
  private(set) var computedCount = 0
  private let frame: PlanFrame
  private let schedules: [SchedulePlan]
  private let habits: [HabitPlan]
  private var heap: Heap<Waiting> = []
  private var places: [Place] = []
  /// All that fire at the soonest instant, the last first.
  private var soonest: [Candidate] = []

  /// - Parameter habits: Those of which something may be moved.
  init(_ schedules: [SchedulePlan], _ habits: [HabitPlan], frame: PlanFrame) {
    self.frame = frame
    self.schedules = schedules
    self.habits = habits
    var waiting: [Waiting] = []
    waiting.reserveCapacity(schedules.count)
    places.reserveCapacity(schedules.count)
    for index in schedules.indices {
      let next = schedules[index].next(after: nil, count: 0)
      places.append(Place(next: next))
      if let next { waiting.append(Waiting(fireAt: next.instant, source: .schedule(index))) }
      if case .some(let chosen) = schedules[index].repeats, let first = chosen.next.first {
        waiting.append(Waiting(fireAt: first.instant, source: .chosen(index, count: 0)))
      }
    }
    for index in habits.indices {
      if let first = habits[index].moved.first {
        waiting.append(Waiting(fireAt: first.fireAt, source: .moved(index, count: 0)))
      }
      if let batch = batch(of: index, from: 0) { waiting.append(batch) }
    }
    heap = Heap(waiting)
  }

  /// When the next request fires.
  var nextFire: Instant? { soonest.last?.fireAt ?? heap.min?.fireAt }

  /// Takes the next request.
  mutating func next() -> Candidate? {
    if soonest.isEmpty { decide() }
    return soonest.popLast()
  }

  /// Takes those that are left, as far as it needs to count them up to a limit.
  ///
  /// Each source that waits has one at least.
  mutating func countRest(upTo limit: Int) -> Int {
    var count = soonest.count
    while count + heap.count < limit, let waiting = heap.min {
      count += 1
      advance(waiting)
    }
    return min(count + heap.count, limit)
  }

  /// Gives all that fire at the soonest instant their ids, since these decide which is first.
  private mutating func decide() {
    guard let fireAt = heap.min?.fireAt else { return }
    while let waiting = heap.min, waiting.fireAt == fireAt {
      if let candidate = candidate(waiting) {
        computedCount += 1
        soonest.append(candidate)
      }
      advance(waiting)
    }
    if soonest.count > 1 { soonest.sort(by: >) }
  }

  private func candidate(_ waiting: Waiting) -> Candidate? {
    switch waiting.source {
    case .schedule(let index):
      return places[index].next.map {
        candidate($0, of: schedules[index], repeating: schedules[index].repeating($0))
      }
    case .chosen(let index, let count):
      guard case .some(let chosen) = schedules[index].repeats else { return nil }
      let next = chosen.next[count]
      return candidate(next, of: schedules[index], repeating: schedules[index].trigger(next))
    case .moved(let index, let count): return Candidate(habits[index].moved[count])
    case .merged(let index, _):
      return habits[index].batch(at: waiting.fireAt).last.map {
        Candidate($0.moved(to: waiting.fireAt))
      }
    }
  }

  private func candidate(
    _ occurrence: Occurrence, of schedule: SchedulePlan, repeating trigger: RequestTrigger.Shape?
  ) -> Candidate {
    let isPassive = schedule.quietEffect(occurrence) == .passive
    return Candidate(Firing(occurrence, of: schedule, isPassive: isPassive), repeating: trigger)
  }

  /// Lets the next of the source wait in place of the heap's least.
  private mutating func advance(_ waiting: Waiting) {
    var next: Waiting?
    switch waiting.source {
    case .schedule(let index):
      places[index].count += 1
      places[index].next = schedules[index].next(
        after: places[index].next, count: places[index].count)
      next = places[index].next.map { Waiting(fireAt: $0.instant, source: waiting.source) }
    case .chosen(let index, let count):
      if case .some(let chosen) = schedules[index].repeats, count + 1 < chosen.next.count {
        next = Waiting(
          fireAt: chosen.next[count + 1].instant, source: .chosen(index, count: count + 1))
      }
    case .moved(let index, let count):
      if count + 1 < habits[index].moved.count {
        next = Waiting(
          fireAt: habits[index].moved[count + 1].fireAt,
          source: .moved(index, count: count + 1))
      }
    case .merged(let index, let count): next = batch(of: index, from: count + 1)
    }
    if let next { heap.replaceMin(with: next) } else { heap.removeMin() }
  }

  /// The next end of quiet hours at which something fires that they put off, and nothing else.
  private func batch(of index: Int, from first: Int) -> Waiting? {
    guard first < frame.quietEnds.count, habits[index].mayDefer else { return nil }
    for count in first..<frame.quietEnds.count {
      let end = frame.quietEnds[count]
      // Looked at first, since it is one, and those that were put off may be many.
      if habits[index].coincident(at: end) == nil, habits[index].batch(at: end).last != nil {
        return Waiting(fireAt: end, source: .merged(index, count: count))
      }
    }
    return nil
  }
}
