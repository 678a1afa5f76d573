internal import CarillonModel
internal import CarillonWire

/// Consecutive events of a log, decoded and in the order in which applying them costs least.
///
/// Applying is commutative. In the order of the log, consecutive rows belong to different pages, so
/// SQLite moves to another page for almost every row. Therefore entries and marks of single dates,
/// which are most events, are kept as the values of their rows and ordered by key. The other events
/// are ordered from the newest to the oldest, because the older values of a register then change
/// nothing. Erasures come first of all, so that every later event that one of them covers is met as
/// covered.
struct EventBatch: Sendable {
  /// The entries.
  private(set) var entries = DatedRows<EntryRow>()
  /// The marks of single dates.
  private(set) var marks = DatedRows<MarkRow>()
  /// The last event in the order of the log; nil if there are no events.
  private(set) var last: (position: LogPosition, id: EventID)?
  /// The number of events to apply.
  private(set) var count = 0
  private var others: [Element] = []
  /// The payloads of the other events.
  private var bytes: [UInt8] = []
  /// The moment after which events are not applied.
  private let moment: Instant?

  private struct Element {
    let position: LogPosition
    let branch: BranchIndex
    let replica: ReplicaID
    let sequence: SequenceNumber
    let id: EventID
    let content: DecodedContent
    /// The payload's place in the bytes of the batch.
    let place: Range<Int>

    /// Whether the event is applied before another one.
    func precedes(_ other: Element) -> Bool {
      content.isErasure == other.content.isErasure ? id > other.id : content.isErasure
    }

    /// Returns the event in the form in which the log returned it.
    func raw(_ bytes: UnsafeRawBufferPointer) -> RawEvent {
      RawEvent(
        position: position, branch: branch, replica: replica, sequence: sequence, id: id,
        payload: UnsafeRawBufferPointer(rebasing: bytes[place]))
    }
  }

  /// Creates an empty batch.
  ///
  /// - Parameters:
  ///   - moment: The moment after which events are not applied; nil to apply all.
  ///   - count: The number of entries for which to reserve memory. Arrays that grow leave pieces in
  ///     the heap of each thread that applies events.
  init(until moment: Instant? = nil, reserving count: Int = 0) {
    self.moment = moment
    entries.reserveCapacity(count)
  }

  /// Decodes and adds the log's next event.
  mutating func append(_ event: RawEvent) {
    last = (event.position, event.id)
    let content = DecodedContent(event)
    if let moment, event.id.timestamp.milliseconds > moment.milliseconds {
      // Data that was erased later is erased at every earlier moment too.
      if case .payload(.dataErased(let erasure)) = content { add(.laterErasure(erasure), event) }
      return
    }
    count += 1
    switch content {
    case .payload(.entryRecorded(let recorded)):
      entries.append(EntryRow(recorded, event))
    case .payload(.dayMarked(let marked)) where marked.first == marked.last:
      marks.append(MarkRow(marked, event))
    default:
      add(content, event)
    }
  }

  /// Brings the events into the order in which they are applied.
  mutating func sort() {
    others.sort { $0.precedes($1) }
    entries.sort()
    marks.sort()
  }

  /// Calls `body` with each event that is not among the entries and marks, and its content.
  func forEachOther(_ body: (RawEvent, DecodedContent) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      for element in others { try body(element.raw(bytes), element.content) }
    }
  }

  private mutating func add(_ content: DecodedContent, _ event: RawEvent) {
    let start = bytes.count
    bytes.append(contentsOf: event.payload)
    others.append(
      Element(
        position: event.position, branch: event.branch, replica: event.replica,
        sequence: event.sequence, id: event.id, content: content, place: start..<bytes.count))
  }
}

/// The content of an event, with everything that can be determined without the rows.
enum DecodedContent: Sendable {
  case payload(Payload)
  /// The remains of an erased payload.
  case redacted(RedactedContent)
  /// Only the ID is known.
  case missing
  /// The payload cannot be read or breaks a limit, or no later write could win against the event.
  case unreadable
  /// An erasure after the moment of a build, of which only the removal of rows is applied.
  case laterErasure(Erasure)

  /// Whether the content is an erasure.
  fileprivate var isErasure: Bool {
    switch self {
    case .payload(.dataErased), .laterErasure: true
    case .payload, .redacted, .missing, .unreadable: false
    }
  }

  /// Decodes the content of an event.
  init(_ event: RawEvent) {
    if let redacted = event.redacted {
      self = .redacted(redacted)
    } else if event.isMissing {
      self = .missing
    } else if !event.id.timestamp.isBeyondClocks,
      let payload = try? PayloadCoding.decode(event.payload)
    {
      self = .payload(payload)
    } else {
      self = .unreadable
    }
  }
}
