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

  /// Where requests come from, each by its instants: an index into the slots or the habits.
  private enum Source {
    /// What rings when its slot says.
    case single(Int)
    /// What the system repeats of a slot.
    case repeating(Int)
    /// What the person snoozed of a habit.
    case moved(Int)
    /// What quiet hours put off of a habit.
    case gathered(Int)
  }

  /// How many occurrences got their instant and their id.
  private(set) var computedCount = 0
  private let frame: PlanFrame
  private let habits: [HabitPlan]
  private let slots: [SlotPlan]
  private var heap: Heap<Waiting>
  /// The next of each slot's own occurrences.
  private var singles: [Occurrence?]
  /// How many were taken of what repeats, was snoozed, and was put off.
  private var repeatingCounts: [Int]
  private var movedCounts: [Int]
  private var gatheredCounts: [Int]
  /// All that fire at the soonest instant, the last first.
  private var soonest: [Candidate] = []

  init(_ habits: [HabitPlan], frame: PlanFrame) {
    self.frame = frame
    self.habits = habits
    slots = habits.flatMap(\.slots)
    singles = slots.map { $0.nextSingle(after: nil) }
    repeatingCounts = Array(repeating: 0, count: slots.count)
    movedCounts = Array(repeating: 0, count: habits.count)
    gatheredCounts = movedCounts
    heap = []
    var waiting: [Waiting] = []
    waiting.reserveCapacity(2 * slots.count)
    for index in slots.indices {
      if let single = singles[index] {
        waiting.append(Waiting(fireAt: single.instant, source: .single(index)))
      }
      if let first = slots[index].repetition.next.first {
        waiting.append(Waiting(fireAt: first.ring.fireAt, source: .repeating(index)))
      }
    }
    for index in habits.indices {
      if !habits[index].snoozes.isEmpty, let first = habits[index].moved.first {
        waiting.append(Waiting(fireAt: first.fireAt, source: .moved(index)))
      }
      if let end = nextGathering(of: index) {
        waiting.append(Waiting(fireAt: end, source: .gathered(index)))
      }
    }
    heap = Heap(waiting)
  }

  /// When the next request fires.
  var nextFire: Instant? { soonest.last?.fireAt ?? heap.min?.fireAt }

  /// Takes the next request.
  mutating func next() -> Candidate? {
    if soonest.isEmpty { settle() }
    return soonest.popLast()
  }

  /// Counts what was not taken, up to a limit.
  func countRest(upTo limit: Int) -> Int {
    var rest = self
    var count = soonest.count
    while count < limit, let waiting = rest.heap.popMin() {
      count += 1
      rest.advance(waiting.source)
    }
    return min(count, limit)
  }

  /// Gives all that fire at the soonest instant their ids, since these decide which is first.
  private mutating func settle() {
    guard let fireAt = heap.min?.fireAt else { return }
    while let waiting = heap.min, waiting.fireAt == fireAt {
      heap.removeMin()
      if let candidate = candidate(waiting) {
        computedCount += 1
        soonest.append(candidate)
      }
      advance(waiting.source)
    }
    soonest.sort(by: >)
  }

  private func candidate(_ waiting: Waiting) -> Candidate? {
    switch waiting.source {
    case .single(let index):
      let slot = slots[index]
      return singles[index].map {
        Candidate(Ring($0, of: slot, isPassive: slot.quietEffect($0) == .passive))
      }
    case .repeating(let index):
      let (trigger, ring) = slots[index].repetition.next[repeatingCounts[index]]
      return Candidate(ring, repeating: trigger)
    case .moved(let index):
      return Candidate(habits[index].moved[movedCounts[index]])
    case .gathered(let index):
      return habits[index].gathering(at: waiting.fireAt).leader.map {
        Candidate($0.moved(to: waiting.fireAt))
      }
    }
  }

  /// Lets the next of a source wait.
  private mutating func advance(_ source: Source) {
    var next: Instant?
    switch source {
    case .single(let index):
      singles[index] = slots[index].nextSingle(after: singles[index])
      next = singles[index]?.instant
    case .repeating(let index):
      repeatingCounts[index] += 1
      let all = slots[index].repetition.next
      next = repeatingCounts[index] < all.count ? all[repeatingCounts[index]].ring.fireAt : nil
    case .moved(let index):
      movedCounts[index] += 1
      let all = habits[index].moved
      next = movedCounts[index] < all.count ? all[movedCounts[index]].fireAt : nil
    case .gathered(let index):
      gatheredCounts[index] += 1
      next = nextGathering(of: index)
    }
    if let next { heap.insert(Waiting(fireAt: next, source: source)) }
  }

  /// The next end of quiet hours at which something rings that they put off, and nothing else.
  private mutating func nextGathering(of index: Int) -> Instant? {
    guard !frame.quietEnds.isEmpty, habits[index].mayGather else { return nil }
    while gatheredCounts[index] < frame.quietEnds.count {
      let end = frame.quietEnds[gatheredCounts[index]]
      let gathering = habits[index].gathering(at: end)
      if gathering.stander == nil && gathering.leader != nil { return end }
      gatheredCounts[index] += 1
    }
    return nil
  }
}
