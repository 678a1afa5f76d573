import CarillonModel
import CarillonSealing

/// The events about keys in a part of a log, and the epochs of its sealed events.
struct EventsAboutKeys {
  /// The events that start an epoch, may state the key of a device, belong to a pairing, or list
  /// erased payloads.
  private(set) var events: [(position: LogPosition, event: StoredEvent)] = []
  /// The epochs whose keys seal events.
  private(set) var epochs: Set<KeyEpoch> = []
  /// The last event that was read; nil if there was none.
  private(set) var last: (position: LogPosition, id: EventID)?
  /// Whether the log was read to its end.
  private(set) var isComplete = true

  /// Reads the events after a position.
  ///
  /// - Parameter limit: The most events to read.
  /// - Complexity: O(limit).
  init(in log: any EventReader, after position: LogPosition, limit: Int) throws {
    var (count, known) = (0, KeyEpoch?.none)
    try log.scan(after: position) { event in
      last = (event.position, event.id)
      count += 1
      isComplete = count < limit
      switch Envelope.form(of: event.payload) {
      case .epochStart: events.append((event.position, event.event))
      case .payload:
        if event.payload.count == DevicePublicKey.sealedStatementBytes {
          events.append((event.position, event.event))
        }
        let epoch = SealedPayload.epoch(of: event.payload)
        if let epoch, epoch != known { epochs.insert(epoch) }
        known = epoch
      case .pairing, .erasureList: events.append((event.position, event.event))
      case .deviceKey, nil: break
      }
      return isComplete
    }
  }
}

extension Envelope {
  /// Whether a payload is never sealed: a closing of branches or an erasure list, which logs must
  /// recognize, the start of an epoch, which the recovery phrase reads, or a message of a pairing.
  static func isPlain(_ payload: UnsafeRawBufferPointer) -> Bool {
    switch form(of: payload) {
    case .epochStart, .pairing, .erasureList: true
    case .payload, .deviceKey: false
    case nil: BranchesClosed(written: payload) != nil
    }
  }
}

extension EventReader {
  /// Whether the first event with intact content is sealed, or the start of an epoch.
  ///
  /// A store is sealed from its first event, or never. A damaged log can be opened, so that it can
  /// be verified and repaired: the next event that can be read decides.
  func isSealed() throws -> Bool {
    let last = try lastPosition()
    var (position, isSealed) = (LogPosition.start, false)
    while position < last {
      do {
        try scanIntact(after: position) { event in
          position = event.position
          guard !event.payload.isEmpty, BranchesClosed(written: event.payload) == nil else {
            return true
          }
          isSealed = Envelope.form(of: event.payload) != nil
          return false
        }
        return isSealed
      } catch let error as LogError {
        guard error.code == .corrupt else { throw error }
        position = LogPosition(rawValue: position.rawValue + 1)
      }
    }
    return false
  }

  /// Returns the event at a position as it is stored; nil if there is none.
  func storedEvent(at position: LogPosition) throws -> StoredEvent? {
    guard position > .start else { return nil }
    var found: StoredEvent?
    try scan(after: LogPosition(rawValue: position.rawValue - 1)) { event in
      if event.position == position { found = event.event }
      return false
    }
    return found
  }
}

extension SealedPlace {
  /// The place of an event.
  init(of event: StoredEvent, in store: StoreID) {
    self.init(
      store: store, replica: event.replica, sequence: event.sequence, timestamp: event.timestamp)
  }

  /// The place of an event that is being read.
  init(of event: RawEvent, in store: StoreID) {
    self.init(
      store: store, replica: event.replica, sequence: event.sequence,
      timestamp: event.id.timestamp)
  }
}
