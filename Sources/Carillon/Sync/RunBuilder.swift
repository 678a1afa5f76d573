internal import CarillonModel
internal import CarillonSync
internal import CarillonWire

/// Builds a run from the stored events of a branch, in order.
///
/// An event whose content hashes to its ID is added with its content. For any other event, the next
/// event decides which part is damaged. If the next event follows from the stored ID, the content
/// is damaged, and only the ID is added. If it follows from the hash of the content, only the
/// stored ID is damaged, and the event is added with its content, since runs contain no IDs.
struct RunBuilder {
  /// The run as far as it is confirmed.
  private(set) var run: OutgoingRun
  /// The ID of the event before the next one; nil if it is the first of its replica.
  private var previous: EventID?
  /// The ID of the event before the run.
  private var startID: EventID?
  /// The ID of the last event of the run with content; without one, of the event before the run.
  private var confirmedID: EventID?
  /// An event whose content does not hash to its ID, held until the next event is added.
  private var suspect: Suspect?

  private struct Suspect {
    let event: StoredEvent
    /// The ID to which its content hashes.
    let computed: EventID
  }

  /// Creates a run without events.
  ///
  /// - Parameters:
  ///   - reference: How the run names its replica.
  ///   - sequence: The sequence of the first event.
  ///   - previous: The ID before the first event, or nil at sequence 1.
  init(
    _ branch: BranchIndex, _ reference: ReplicaReference, from sequence: UInt64,
    after previous: EventID?
  ) {
    run = OutgoingRun(
      branch: branch, reference: reference, firstSequence: sequence, previous: previous)
    self.previous = previous
    (startID, confirmedID) = (previous, previous)
  }

  /// The sequence and the ID of the event before the run; nil if it is the first of its replica.
  var start: (sequence: UInt64, id: EventID)? {
    startID.map { (run.run.firstSequence - 1, $0) }
  }

  /// The number of events that were added.
  var count: Int { run.run.count + (hasSuspect ? 1 : 0) }

  /// Whether the last event is held until the next one is added.
  var hasSuspect: Bool { suspect != nil }

  /// Adds the next event of the branch.
  mutating func add(_ event: RawEvent) {
    let before = previous ?? EventChain.root(of: event.replica)
    if let suspect {
      let isIDDamaged = !suspect.event.isMissing && id(of: event, behind: before) != event.id
      if isIDDamaged, id(of: event, behind: suspect.computed) == event.id {
        suspect.event.payload.withUnsafeBytes {
          run.append(id: suspect.computed, payload: $0, redacted: suspect.event.redacted)
        }
        (previous, confirmedID) = (suspect.computed, suspect.computed)
      } else {
        run.append(missing: suspect.event.id)
      }
      self.suspect = nil
    }
    let computed = id(of: event, behind: previous ?? before)
    if computed == event.id {
      append(event)
    } else {
      suspect = Suspect(event: event.event, computed: computed)
    }
    previous = event.id
  }

  /// Appends an event as it is stored.
  mutating func append(_ event: RawEvent) {
    run.append(id: event.id, payload: event.payload, redacted: event.redacted)
    confirmedID = event.id
  }

  /// Removes and returns the events whose IDs are confirmed, and goes on with the event after them;
  /// nil if there are none.
  mutating func take() -> SyncRun? {
    let taken = run.vouched.run
    guard taken.count > 0 else { return nil }
    let rest = run.run.missing.suffix(run.run.count - taken.count)
    run = OutgoingRun(
      branch: run.branch, reference: taken.replica, firstSequence: taken.lastSequence + 1,
      previous: confirmedID)
    for event in rest { run.append(missing: event.id) }
    startID = confirmedID
    return taken
  }

  private func id(of event: RawEvent, behind previous: EventID) -> EventID {
    EventChain.id(
      sequence: event.sequence, timestamp: event.id.timestamp, previous: previous,
      payload: event.digest)
  }
}
