import CarillonModel
import CarillonTestSupport
import CarillonWire

/// The events of two to four replicas, with clones and rollbacks, created in memory from one seed.
///
/// Every event is linked to the one before it, so the events may arrive in any order that keeps
/// each after its `previous`.
struct ForkingHistory {
  struct Linked {
    let event: StoredEvent
    let previous: EventID
  }

  /// The events in the order in which they were written.
  private(set) var events: [Linked] = []
  /// The erasures, with the events that contain them.
  private(set) var erasures: [(event: EventID, erasure: Erasure)] = []
  private var generator: PayloadGenerator<SeededGenerator>
  private var writers: [Writer] = []

  /// A writer that continues a line of events: a replica, its clone, or itself rolled back.
  private struct Writer {
    let replica: ReplicaID
    var line: [StoredEvent]
    let skewMilliseconds: Int64
  }

  init(seed: UInt64, steps: Int) throws {
    generator = PayloadGenerator(SeededGenerator(seed: seed))
    for _ in 0..<Int.random(in: 2...4, using: &generator.random) { addWriter(like: nil) }
    for step in 0..<steps {
      let index = Int.random(in: writers.indices, using: &generator.random)
      switch Int.random(in: 0..<100, using: &generator.random) {
      case 0..<4 where writers.count < 6: addWriter(like: writers[index])
      case 4..<8:
        let length = Int.random(in: 0...writers[index].line.count, using: &generator.random)
        writers[index].line.removeLast(writers[index].line.count - length)
      default: try write(index, step: step)
      }
    }
  }

  /// Returns the events in another order in which they may arrive.
  func shuffled(using random: inout some RandomNumberGenerator) -> [Linked] {
    var waiting = Dictionary(grouping: events, by: \.previous)
    let ids = Set(events.map(\.event.id))
    var ready = events.filter { !ids.contains($0.previous) }
    for linked in ready { waiting[linked.previous] = nil }
    var order: [Linked] = []
    while !ready.isEmpty {
      let next = ready.remove(at: Int.random(in: ready.indices, using: &random))
      order.append(next)
      ready += waiting.removeValue(forKey: next.event.id) ?? []
    }
    return order
  }

  /// Returns the event without its payload if an erasure covers it.
  func erased(_ event: StoredEvent, using random: inout some RandomNumberGenerator) -> StoredEvent {
    guard let payload = try? PayloadCoding.decode(event.payload) else { return event }
    let covering = erasures.filter { $0.erasure.covers(payload, of: event.id) }
    guard let erasure = covering.randomElement(using: &random) else { return event }
    return StoredEvent(
      id: event.id, replica: event.replica, sequence: event.sequence,
      redacted: RedactedContent(digest: PayloadDigest(event.payload), erasure: erasure.event))
  }

  /// The longest line of events that one writer continued.
  var longestLine: [StoredEvent] { writers.map(\.line).max { $0.count < $1.count } ?? [] }

  private mutating func addWriter(like other: Writer?) {
    writers.append(
      Writer(
        replica: other?.replica ?? .random(using: &generator.random), line: other?.line ?? [],
        skewMilliseconds: Int64.random(in: -86_400_000...86_400_000, using: &generator.random)))
  }

  private mutating func write(_ index: Int, step: Int) throws {
    let payload = generator.next()
    let bytes = try generator.encode(payload)
    let writer = writers[index]
    let last = writer.line.last
    let wall = Timestamp(
      rawValue: UInt64(1_780_000_000_000 + Int64(step) * 60_000 + writer.skewMilliseconds) << 16)
    let timestamp = max(wall, Timestamp(rawValue: (last?.timestamp.rawValue ?? 0) + 1))
    let sequence = last?.sequence.next ?? .first
    let previous = last?.id ?? EventChain.root(of: writer.replica)
    let id = EventChain.id(
      sequence: sequence, timestamp: timestamp, previous: previous, payload: PayloadDigest(bytes))
    let event = StoredEvent(id: id, replica: writer.replica, sequence: sequence, payload: bytes)
    generator.observe(payload, as: id)
    writers[index].line.append(event)
    // A writer that was rolled back may write the same event again, with the same ID.
    if !events.contains(where: { $0.event.id == id }) {
      events.append(Linked(event: event, previous: previous))
      if case .dataErased(let erasure) = payload { erasures.append((id, erasure)) }
    }
  }
}

extension [ForkingHistory.Linked] {
  /// The runs in which these events arrive: neighbours on one line form one run.
  var runs: [EventRun] {
    var runs: [EventRun] = []
    var open: [ForkingHistory.Linked] = []
    func close() {
      guard let first = open.first, let last = open.last else { return }
      runs.append(
        EventRun(
          replica: first.event.replica, firstSequence: first.event.sequence,
          previous: first.previous,
          items: open.map { linked in
            linked.event.redacted.map { .init(timestamp: linked.event.timestamp, redacted: $0) }
              ?? .init(timestamp: linked.event.timestamp, payload: linked.event.payload)
          },
          lastID: last.event.id))
      open = []
    }
    for linked in self {
      if let last = open.last, linked.previous != last.event.id { close() }
      open.append(linked)
    }
    close()
    return runs
  }
}
