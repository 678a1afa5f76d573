import Carillon
import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Synchronization

/// Logs in memory as the tests of syncs use them: events by their branch and place on it.
extension InMemoryEventLog {
  var eventCount: Int { saved.order.count }

  /// Whether the heads are the same, and what is under them too.
  func isEqual(to other: InMemoryEventLog) -> Bool {
    let (own, others) = (saved, other.saved)
    return VersionVector(branches: own.branches) == VersionVector(branches: others.branches)
      && Set(own.events.joined()) == Set(others.events.joined())
  }

  /// The places of all events, in order of arrival.
  var places: [(branch: Int, index: Int)] { saved.order }

  /// Changes a byte of a payload, as a bad disk does.
  func damagePayload(_ branch: Int, _ index: Int) throws {
    try damage(position(branch, index))
  }

  /// Changes a byte of an ID behind its timestamp.
  func damageID(_ branch: Int, _ index: Int, byte: Int) {
    damageID(position(branch, index), byte: byte)
  }

  /// Changes the sequence that an event bears.
  func damageSequence(_ branch: Int, _ index: Int, to sequence: UInt64) {
    damageSequence(position(branch, index), to: sequence)
  }

  /// Forgets all of an event but its ID.
  func forgetContent(_ branch: Int, _ index: Int) {
    replaceContent(position(branch, index), by: .missing)
  }

  /// Replaces a payload by a redaction with a chosen digest and erasure.
  func lie(_ branch: Int, _ index: Int, digest: PayloadDigest, erasure: EventID) {
    replaceContent(
      position(branch, index), by: .redacted(RedactedContent(digest: digest, erasure: erasure)))
  }

  /// Drops a branch that has no children, and is the last.
  func forget(branch: Int) {
    keep { $1.rawValue != UInt32(branch) }
  }

  /// What is known of it: here an erasure counts where the event that it names is held.
  var contents: SyncContents {
    SyncContents(
      unconfirmed: { try self.unconfirmed.map { WantedEvent($0, .incomplete) } },
      erasures: ErasuresByID(log: self))
  }

  /// Events without content, and those whose erasing event is not held.
  var unconfirmed: [DamagedEvent] {
    get throws {
      var found: [DamagedEvent] = []
      try scan(after: .start) { event in
        let isUnconfirmed =
          try event.redacted.map { try position(of: $0.erasure) == nil } ?? event.isMissing
        guard isUnconfirmed else { return true }
        found.append(
          DamagedEvent(
            position: event.position, branch: event.branch, sequence: event.sequence, id: event.id))
        return true
      }
      return found
    }
  }
}

/// Erasures that reach whatever names them: payloads here are no payloads.
private struct ErasuresByID: HeldErasures {
  let log: InMemoryEventLog

  func confirm(_ redacted: RedactedContent, of event: EventID) throws -> Bool {
    try log.position(of: redacted.erasure) != nil
  }

  func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: LogPosition
  ) throws -> Bool {
    try !confirm(redacted, of: event)
  }
}

extension SyncFixture {
  /// Creates a log that announces the predecessor of a new identity.
  static func log(store: StoreID, replica: ReplicaID) -> InMemoryEventLog {
    let log = InMemoryEventLog(
      storeID: store, replica: replica, makeReplicaID: names(seed: replica.low))
    log.setIdentityAnnouncement(announcement)
    return log
  }

  /// Copies a log; the copy continues under the same identity.
  static func copy(_ log: InMemoryEventLog, seed: UInt64) -> InMemoryEventLog {
    let copy = log.copy(isNoticed: false, makeReplicaID: names(seed: seed))
    copy.setIdentityAnnouncement(announcement)
    return copy
  }

  private static let announcement: IdentityAnnouncement = { identity in
    [NewEvent(payload: [1] + (identity.predecessor?.bytes ?? []))]
  }

  /// Where new names come from.
  private static func names(seed: UInt64) -> @Sendable () -> ReplicaID {
    let generator = Names(seed: seed)
    return { generator.next() }
  }
}

private final class Names: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func next() -> ReplicaID { generator.withLock { ReplicaID.random(using: &$0) } }
}
