internal import HeapModule

/// Merges the occurrences of all slots by the instant at which they fire; never expands them all.
///
/// Within one zone nominal times are compared as whole numbers, so that each zone has a queue of
/// its own, without instants. Only what stands first in its zone gets its instant and its id and
/// enters the heap from which the soonest are taken.
struct OccurrenceMerge {
  /// One occurrence with its instant and id, as the heap orders them.
  struct Entry: Comparable {
    let fireAt: Instant
    let id: RequestID
    let nominal: CivilDateTime
    let repeating: RepeatTrigger?
    /// The index of its slot.
    let slot: Int
    /// The index of its zone.
    fileprivate let zone: Int

    static func == (left: Self, right: Self) -> Bool {
      left.fireAt == right.fireAt && left.id == right.id
    }

    static func < (left: Self, right: Self) -> Bool {
      left.fireAt == right.fireAt ? left.id < right.id : left.fireAt < right.fireAt
    }
  }

  /// The occurrences of one zone's slots.
  private struct Zone {
    var queue: Heap<Waiting> = []
    /// How many of its entries are in the heap; all fire at one instant.
    var settledCount = 0
  }

  /// The next occurrence of a slot, by the civil seconds at which it fires.
  private struct Waiting: Comparable {
    let candidate: SlotCursor.Candidate
    let slot: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.candidate, left.slot) < (right.candidate, right.slot)
    }
  }

  /// How many civil date-times became instants.
  private(set) var computedCount = 0
  private let now: Instant
  private let end: Instant
  private let slots: [SlotPlan]
  private var cursors: [SlotCursor]
  private var zones: [Zone] = []
  private var heap: Heap<Entry> = []

  init(_ slots: [SlotPlan], from now: Instant, to end: Instant) {
    self.now = now
    self.end = end
    self.slots = slots
    cursors = slots.map(SlotCursor.init)
    var first: [[Waiting]] = []
    for slot in slots.indices {
      let zone = slots[slot].span.index
      while first.count <= zone { first.append([]) }
      if let waiting = next(of: slot) { first[zone].append(waiting) }
    }
    zones = first.map { Zone(queue: Heap($0)) }
    for zone in zones.indices { settle(zone) }
  }

  /// When the next occurrence fires that was not taken.
  var nextFire: Instant? { heap.min?.fireAt }

  /// Takes the soonest occurrences, in order.
  mutating func take(_ count: Int) -> [Entry] {
    var taken: [Entry] = []
    while taken.count < count, let entry = heap.popMin() {
      taken.append(entry)
      zones[entry.zone].settledCount -= 1
      settle(entry.zone)
    }
    return taken
  }

  /// Counts what was not taken, by civil dates alone, up to a limit.
  func countRest(upTo limit: Int) -> Int {
    var count = heap.count + zones.reduce(0) { $0 + $1.queue.count }
    for slot in cursors.indices where count < limit {
      var cursor = cursors[slot]
      while count < limit, cursor.next(of: slots[slot]) != nil { count += 1 }
    }
    return min(count, limit)
  }

  /// Puts a zone's next occurrences into the heap: all that fire at one instant, since their ids
  /// decide which is first.
  private mutating func settle(_ zone: Int) {
    while zones[zone].settledCount == 0, let firing = zones[zone].queue.min?.candidate.firing {
      while let next = zones[zone].queue.min, next.candidate.firing == firing {
        zones[zone].queue.removeMin()
        if let following = self.next(of: next.slot) { zones[zone].queue.insert(following) }
        guard let entry = entry(next, zone) else { continue }
        heap.insert(entry)
        zones[zone].settledCount += 1
      }
    }
  }

  /// The next occurrence of a slot, to wait in its zone's queue.
  private mutating func next(of slot: Int) -> Waiting? {
    cursors[slot].next(of: slots[slot]).map { Waiting(candidate: $0, slot: slot) }
  }

  /// The one place where an occurrence gets its instant, and where that has the last word on
  /// whether it lies between now and the horizon's end.
  private mutating func entry(_ waiting: Waiting, _ zone: Int) -> Entry? {
    let (nominal, plan) = (waiting.candidate.nominal, slots[waiting.slot])
    let repeating = plan.repeatTrigger(of: nominal)
    computedCount += 1
    guard let resolution = plan.span.window.calendar.resolve(nominal),
      resolution.instant > now, repeating != nil || resolution.instant < end
    else { return nil }
    return Entry(
      fireAt: resolution.instant, id: plan.id(of: nominal, repeating: repeating),
      nominal: nominal, repeating: repeating, slot: waiting.slot, zone: zone)
  }
}
