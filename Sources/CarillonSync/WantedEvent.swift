package import CarillonModel
internal import CarillonWire

/// An event of this log that the other side should give once more.
package struct WantedEvent: Hashable, Sendable {
  /// On which branch.
  package let branch: BranchIndex
  /// At which place of it.
  package let sequence: SequenceNumber
  /// The ID it must come to; nil where that itself is damaged.
  package let id: EventID?
  /// Why it is wanted.
  package let reason: Reason

  /// Why an event is wanted once more.
  package enum Reason: Sendable {
    /// It does not come to its ID.
    case damaged
    /// Its content is missing, or it is redacted and nothing confirms that.
    case incomplete
    /// It is redacted; the other side reads another state out of the same events.
    case redacted
  }

  package init(_ event: DamagedEvent, _ reason: Reason) {
    branch = event.branch
    sequence = event.sequence
    id = event.id
    self.reason = reason
  }

  /// Whether it does not come to its ID.
  var isDamaged: Bool { reason == .damaged }

  /// Whether it has a place on a branch that is known: the log may have grown since it was looked
  /// at, and what lies on a newer branch is for the next sync; and its sequence may be damaged, so
  /// that nobody can be asked for it.
  func isIn(_ tree: BranchTree) -> Bool {
    Int(branch.rawValue) < tree.branches.count
      && (1...tree[branch].headSequence.rawValue).contains(sequence.rawValue)
  }

  /// How it travels; its branch must be known.
  func point(in tree: BranchTree) -> SyncPoint {
    SyncPoint(
      prefix: tree[branch].replica.prefix, sequence: sequence.rawValue, suffix: id?.suffix ?? 0)
  }
}

extension SyncPoint {
  /// Whether an event with this point is what is wanted; a suffix of 0 stands for every event at
  /// the place.
  func satisfies(_ wanted: SyncPoint) -> Bool {
    prefix == wanted.prefix && sequence == wanted.sequence
      && (wanted.suffix == 0 || wanted.suffix == suffix)
  }
}
