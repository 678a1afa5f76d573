internal import CarillonModel
internal import CarillonWire

/// Consecutive events of a log, decoded and in the order in which applying them costs least.
///
/// Applying is commutative. In the order of the log, consecutive rows belong to different pages, so
/// SQLite moves to another page for almost every row. Therefore events of the most frequent kinds
/// are ordered by the key of their row, and the others keep the order of the log.
struct EventBatch: Sendable {
  private var events: [Element] = []
  /// The payloads of all events.
  private var bytes: [UInt8] = []
  /// The order in which to apply the events.
  private var places: [Place] = []

  private struct Element {
    let position: LogPosition
    let branch: BranchIndex
    let replica: ReplicaID
    let sequence: SequenceNumber
    let id: EventID
    /// The payload's end in the bytes of the batch.
    let end: Int
    let content: DecodedContent

    /// Returns the event in the form in which the log returned it.
    func raw(_ payload: UnsafeRawBufferPointer) -> RawEvent {
      RawEvent(
        position: position, branch: branch, replica: replica, sequence: sequence, id: id,
        payload: payload)
    }
  }

  /// The place of an event's row, compared like two numbers in a row.
  private struct Place: Comparable {
    /// The table, then the beginning of the habit's ID.
    let table: UInt64
    /// The date, then the event's index in the batch.
    let date: UInt64

    /// The index of the event.
    var index: Int { Int(UInt32(truncatingIfNeeded: date)) }

    static func < (left: Place, right: Place) -> Bool {
      (left.table, left.date) < (right.table, right.date)
    }
  }

  /// The number of events.
  var count: Int { events.count }

  var isEmpty: Bool { events.isEmpty }

  /// The last event in the order of the log; nil if there are no events.
  var last: (position: LogPosition, id: EventID)? { events.last.map { ($0.position, $0.id) } }

  /// Decodes and adds the log's next event.
  mutating func append(_ event: RawEvent) {
    let content = DecodedContent(event)
    let (table, date) = Self.place(of: content)
    bytes.append(contentsOf: event.payload)
    places.append(Place(table: table, date: date << 32 | UInt64(events.count)))
    events.append(
      Element(
        position: event.position, branch: event.branch, replica: event.replica,
        sequence: event.sequence, id: event.id, end: bytes.count, content: content))
  }

  /// Brings the events into the order in which they are applied.
  mutating func sort() {
    places.sort()
  }

  /// Calls `body` with each event and its content.
  func forEach(_ body: (RawEvent, DecodedContent) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      for place in places {
        let index = place.index
        let start = index == 0 ? 0 : events[index - 1].end
        try body(
          events[index].raw(UnsafeRawBufferPointer(rebasing: bytes[start..<events[index].end])),
          events[index].content)
      }
    }
  }

  private static func place(of content: DecodedContent) -> (table: UInt64, date: UInt64) {
    guard case .payload(let payload, _) = content else { return (0, 0) }
    if case .entryRecorded(let recorded) = payload {
      return place(1, recorded.habit, recorded.date)
    }
    if case .dayMarked(let marked) = payload { return place(2, marked.habit, marked.first) }
    return (0, 0)
  }

  private static func place(
    _ table: UInt64, _ habit: HabitID, _ date: CivilDate
  ) -> (table: UInt64, date: UInt64) {
    (table << 56 | habit.high >> 8, UInt64(UInt32(bitPattern: date.rawValue ^ .min)))
  }
}

/// The content of an event, with everything that can be determined without the rows.
enum DecodedContent: Sendable {
  /// A payload, with the entry if it records one.
  case payload(Payload, entry: EntryID?)
  /// The remains of an erased payload.
  case redacted(RedactedContent)
  /// Only the ID is known.
  case missing
  /// The payload cannot be read or breaks a limit.
  case unreadable

  /// Decodes the content of an event.
  init(_ event: RawEvent) {
    if let redacted = event.redacted {
      self = .redacted(redacted)
    } else if event.isMissing {
      self = .missing
    } else if let payload = try? PayloadCoding.decode(event.payload) {
      let entry: EntryID? =
        if case .entryRecorded(let recorded) = payload { recorded.entry(event.id) } else { nil }
      self = .payload(payload, entry: entry)
    } else {
      self = .unreadable
    }
  }
}
