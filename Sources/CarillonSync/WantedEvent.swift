package import CarillonModel
internal import CarillonWire

/// An event of this log that the peer should send again, to repair it.
package struct WantedEvent: Hashable, Sendable {
  /// The branch of the event.
  package let branch: BranchIndex
  /// The event's sequence on that branch.
  package let sequence: SequenceNumber
  /// The ID that the event must hash to; nil if the ID itself is damaged.
  package let id: EventID?
  /// The reason why the event is wanted.
  package let reason: Reason

  /// The reason why an event is wanted.
  package enum Reason: Sendable {
    /// Its content does not hash to its ID.
    case damaged
    /// Its content is missing, or its redaction is unconfirmed.
    case incomplete
    /// It is redacted, and the peer derives another state from the same events.
    case redacted
  }

  package init(_ event: DamagedEvent, _ reason: Reason) {
    branch = event.branch
    sequence = event.sequence
    id = event.id
    self.reason = reason
  }

  /// Whether its content does not hash to its ID.
  var isDamaged: Bool { reason == .damaged }

  /// Whether the event lies on a known branch, at a possible sequence.
  ///
  /// The log may have grown since it was examined; events on a newer branch are left to the next
  /// sync. A sequence may itself be damaged, in which case the event cannot be requested.
  func isIn(_ tree: BranchTree) -> Bool {
    Int(branch.rawValue) < tree.branches.count
      && (1...tree[branch].headSequence.rawValue).contains(sequence.rawValue)
  }

  /// Returns the event as a point; its branch must be known.
  func point(in tree: BranchTree) -> SyncPoint {
    SyncPoint(
      prefix: tree[branch].replica.prefix, sequence: sequence.rawValue, suffix: id?.suffix ?? 0)
  }
}

extension SyncPoint {
  /// Whether an event with this point satisfies a want.
  ///
  /// A suffix of 0 means any event at the place.
  func satisfies(_ wanted: SyncPoint) -> Bool {
    prefix == wanted.prefix && sequence == wanted.sequence
      && (wanted.suffix == 0 || wanted.suffix == suffix)
  }
}
