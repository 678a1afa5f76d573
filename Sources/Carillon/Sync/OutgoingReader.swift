internal import CarillonModel
internal import CarillonSync
internal import CarillonWire

/// Reads the events of a range from the log and builds the run to send.
///
/// An event whose content hashes to its ID is sent with its content. For any other event, the next
/// event decides which part is damaged. If the next event follows from the stored ID, the content
/// is damaged, and only the ID is sent. If it follows from the hash of the content, only the stored
/// ID is damaged, and the event is sent with its content, since IDs are not transmitted.
struct OutgoingReader {
  /// The number of bytes left.
  private(set) var left: Int
  private let range: BranchRange
  /// The number of events that still fit.
  private let room: Int
  private var run: OutgoingRun
  /// The ID of the event before the next one.
  private var previous: EventID?
  /// An event whose content does not hash to its ID, held until the next event is read.
  private var suspect: Suspect?
  private var isFull = false

  private struct Suspect {
    let event: StoredEvent
    /// The ID to which its content hashes.
    let computed: EventID
  }

  init(_ range: BranchRange, byteBudget: Int, room: Int) {
    self.range = range
    left = byteBudget
    self.room = room
    run = OutgoingRun(
      branch: range.branch, reference: range.reference,
      firstSequence: range.sequences.lowerBound, previous: nil)
  }

  /// Whether the whole range was read, apart from a suspect event that no later event confirms.
  var isComplete: Bool { !isFull }

  /// The run to send.
  var finished: OutgoingRun { range.isWanted ? run : run.vouched }

  /// Adds the next event of the branch.
  ///
  /// Returns false when no more events are wanted.
  mutating func take(_ event: RawEvent) -> Bool {
    guard event.sequence.rawValue >= range.sequences.lowerBound else {
      previous = event.id
      run = OutgoingRun(
        branch: range.branch, reference: range.reference,
        firstSequence: range.sequences.lowerBound, previous: event.id)
      return true
    }
    if range.isWanted {
      // The receiver refuses damaged content, but the content may be intact under another ID.
      if !event.isMissing { append(event, as: event.id) }
      return false
    }
    let count = run.run.count + (suspect == nil ? 1 : 2)
    left -= SyncRun.maxBytes(ofPayload: event.payload.count)
    guard left >= 0, count <= room else {
      isFull = true
      return false
    }
    judge(event)
    // A damaged event needs one more event after it, to confirm its ID.
    return event.sequence.rawValue < range.sequences.upperBound || suspect != nil
  }

  private mutating func judge(_ event: RawEvent) {
    let before = previous ?? EventChain.root(of: event.replica)
    if let suspect {
      let isIDDamaged = !suspect.event.isMissing && id(of: event, behind: before) != event.id
      if isIDDamaged, id(of: event, behind: suspect.computed) == event.id {
        append(suspect.event, as: suspect.computed)
        previous = suspect.computed
      } else {
        run.append(missing: suspect.event.id)
      }
      self.suspect = nil
    }
    let computed = id(of: event, behind: previous ?? before)
    if computed == event.id {
      append(event, as: event.id)
    } else {
      suspect = Suspect(event: event.event, computed: computed)
    }
    previous = event.id
  }

  private func id(of event: RawEvent, behind previous: EventID) -> EventID {
    EventChain.id(
      sequence: event.sequence, timestamp: event.id.timestamp, previous: previous,
      payload: event.digest)
  }

  private mutating func append(_ event: RawEvent, as id: EventID) {
    run.append(id: id, payload: event.payload, redacted: event.redacted)
  }

  private mutating func append(_ event: StoredEvent, as id: EventID) {
    event.payload.withUnsafeBytes { run.append(id: id, payload: $0, redacted: event.redacted) }
  }
}
