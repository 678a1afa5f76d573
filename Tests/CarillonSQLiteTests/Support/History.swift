import CarillonModel
import CarillonTestSupport
import CarillonWire

/// A generator of events for tests.
///
/// Each event has the greatest timestamp so far, one millisecond after the previous one.
struct History {
  private(set) var events: [StoredEvent] = []
  /// The erasures, with their events.
  private(set) var erasures: [(event: EventID, erasure: Erasure)] = []
  private var sequence: UInt64 = 0

  /// The instant of the first event, in milliseconds.
  static let start: Int64 = 1_795_000_000_000

  init() {}

  /// Creates a random history from a seed, over several replicas.
  ///
  /// One event in twenty cannot be read.
  init(seed: UInt64, count: Int, replicas: Int = 3) throws {
    var generator = PayloadGenerator(SeededGenerator(seed: seed))
    for _ in 0..<count {
      let payload =
        Int.random(in: 1...4, using: &generator.random) == 1
        ? generator.payload() : generator.next()
      let bytes = try generator.encode(payload)
      let isUnreadable = Int.random(in: 1...20, using: &generator.random) == 1
      let number = UInt64.random(in: 1...UInt64(replicas), using: &generator.random)
      let replica = ReplicaID(high: 7, low: number)
      let event =
        isUnreadable ? add([0x08], replica: replica) : add(bytes, of: payload, replica: replica)
      generator.observe(payload, as: event.id)
    }
  }

  /// Adds an event with a payload.
  @discardableResult
  mutating func add(
    _ payload: Payload, replica: ReplicaID = ReplicaID(high: 7, low: 1),
    milliseconds: Int64? = nil
  ) throws -> StoredEvent {
    add(
      try PayloadCoding.encode(payload), of: payload, replica: replica, milliseconds: milliseconds)
  }

  /// Adds an event with the bytes of a payload, or with bytes that cannot be read.
  @discardableResult
  mutating func add(
    _ bytes: [UInt8], of payload: Payload? = nil, replica: ReplicaID = ReplicaID(high: 7, low: 1),
    milliseconds: Int64? = nil
  ) -> StoredEvent {
    sequence += 1
    let id = EventChain.id(
      sequence: SequenceNumber(rawValue: sequence),
      timestamp: Timestamp(milliseconds: milliseconds ?? Self.start + Int64(sequence)),
      previous: EventChain.root(of: replica), payload: PayloadDigest(bytes))
    let event = StoredEvent(
      id: id, replica: replica, sequence: SequenceNumber(rawValue: sequence), payload: bytes)
    events.append(event)
    if case .dataErased(let erasure)? = payload { erasures.append((event.id, erasure)) }
    return event
  }
}

extension History {
  /// Returns an event as it may arrive: a covered event possibly without its payload, and sometimes
  /// another event whose payload is missing until it is restored.
  func losing(
    _ event: StoredEvent, lost: inout [StoredEvent], using random: inout SeededGenerator
  ) -> StoredEvent {
    let payload = try? PayloadCoding.decode(event.payload)
    let covering = erasures.filter { erasure in
      payload.map { erasure.erasure.covers($0, of: event.id) } ?? false
    }
    if let erasure = covering.randomElement(using: &random)?.event {
      return Bool.random(using: &random) ? event.redacted(erasedBy: erasure) : event
    }
    let isErasure = erasures.contains { $0.event == event.id }
    guard !isErasure, Int.random(in: 1...20, using: &random) == 1 else { return event }
    lost.append(event)
    return event.redacted(erasedBy: EventID(words: (1, 2, 3, random.next())))
  }
}
