internal import CarillonModel
internal import CarillonSync
internal import CarillonWire

/// Takes the events of a range as they lie in the log, and makes the run that can be sent.
///
/// What comes to its ID is sent whole. What does not is judged by the event behind it: where that
/// follows from the ID that is held, the content is damaged, and the event is sent as its ID alone;
/// where it follows from what the content comes to, only the ID is damaged, and the event is sent
/// whole, since IDs do not travel.
struct OutgoingReader {
  /// How many bytes are left.
  private(set) var left: Int
  private let range: BranchRange
  /// How many events there is room for.
  private let room: Int
  private var run: OutgoingRun
  /// The ID before the next event.
  private var previous: EventID?
  /// An event that does not come to its ID, until the one behind it was looked at.
  private var suspect: Suspect?
  private var isFull = false

  private struct Suspect {
    let event: Event
    /// What its content comes to.
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

  /// Whether all of the range was read, but for what nothing vouches for.
  var isComplete: Bool { !isFull }

  /// What can be sent.
  var finished: OutgoingRun { range.isWanted ? run : run.vouched }

  /// Takes the next event of the branch; false where no more is wanted.
  mutating func take(_ event: RawEvent) -> Bool {
    guard event.sequence.rawValue >= range.sequences.lowerBound else {
      previous = event.id
      run = OutgoingRun(
        branch: range.branch, reference: range.reference,
        firstSequence: range.sequences.lowerBound, previous: event.id)
      return true
    }
    if range.isWanted {
      // What is damaged is refused where it comes; perhaps it is whole behind another ID.
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
    // Behind a damaged event one more is needed, which vouches for its ID.
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

  private mutating func append(_ event: Event, as id: EventID) {
    event.payload.withUnsafeBytes { run.append(id: id, payload: $0, redacted: event.redacted) }
  }
}
