internal import HeapModule

/// Merges the occurrences of all slots by the instant at which they fire; never expands them all.
struct OccurrenceMerge {
  /// One occurrence with its instant and id, as the heap orders them.
  struct Entry: Comparable {
    let fireAt: Instant
    let id: RequestID
    let nominal: CivilDateTime
    let repeating: RepeatTrigger?
    /// The index of its slot.
    let slot: Int

    static func == (left: Self, right: Self) -> Bool {
      left.fireAt == right.fireAt && left.id == right.id
    }

    static func < (left: Self, right: Self) -> Bool {
      left.fireAt == right.fireAt ? left.id < right.id : left.fireAt < right.fireAt
    }
  }

  /// How many civil date-times became instants.
  private(set) var computedCount = 0
  private let now: Instant
  private let end: Instant
  private var cursors: [SlotCursor]
  /// How many entries of each slot are in the heap: one, or two that fire at one instant.
  private var waitingCounts: [Int]
  private var heap: Heap<Entry> = []

  init(_ slots: [SlotPlan], from now: Instant, to end: Instant) {
    self.now = now
    self.end = end
    cursors = slots.map(SlotCursor.init)
    waitingCounts = Array(repeating: 0, count: slots.count)
    heap.reserveCapacity(slots.count)
    for slot in slots.indices { refill(slot) }
  }

  /// When the next occurrence fires that was not taken.
  var nextFire: Instant? { heap.min?.fireAt }

  /// Takes the soonest occurrences, in order.
  mutating func take(_ count: Int) -> [Entry] {
    var taken: [Entry] = []
    while taken.count < count, let entry = heap.popMin() {
      taken.append(entry)
      waitingCounts[entry.slot] -= 1
      if waitingCounts[entry.slot] == 0 { refill(entry.slot) }
    }
    return taken
  }

  /// Counts what was not taken, by civil dates alone, up to a limit.
  func countRest(upTo limit: Int) -> Int {
    var count = heap.count
    for var cursor in cursors {
      while count < limit {
        let found = cursor.next().count
        guard found > 0 else { break }
        count += found
      }
    }
    return min(count, limit)
  }

  /// Puts a slot's next occurrence into the heap; both where two fire at one instant, since the
  /// ids decide which is first.
  private mutating func refill(_ slot: Int) {
    while waitingCounts[slot] == 0 {
      let candidates = cursors[slot].next()
      guard !candidates.isEmpty else { return }
      for candidate in candidates {
        guard let entry = entry(candidate, slot) else { continue }
        heap.insert(entry)
        waitingCounts[slot] += 1
      }
    }
  }

  /// The one place where an occurrence gets its instant, and where that has the last word on
  /// whether it lies between now and the horizon's end.
  private mutating func entry(_ candidate: SlotCursor.Candidate, _ index: Int) -> Entry? {
    let plan = cursors[index].plan
    computedCount += 1
    guard let resolution = plan.window.calendar.resolve(candidate.nominal),
      resolution.instant > now, candidate.repeating != nil || resolution.instant < end
    else { return nil }
    let (habit, slot) = (plan.habit.id, plan.slot.id)
    let id =
      candidate.repeating.map { RequestID(habit: habit, slot: slot, trigger: $0) }
      ?? RequestID(habit: habit, slot: slot, nominal: candidate.nominal)
    return Entry(
      fireAt: resolution.instant, id: id, nominal: candidate.nominal,
      repeating: candidate.repeating, slot: index)
  }
}
