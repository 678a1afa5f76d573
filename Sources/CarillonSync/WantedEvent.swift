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
  /// Whether it does not come to its ID; else it is redacted, and nothing confirms that.
  package let isDamaged: Bool

  /// A redacted event that no held erasure confirms.
  package init(unconfirmed event: DamagedEvent) {
    branch = event.branch
    sequence = event.sequence
    id = event.id
    isDamaged = false
  }

  /// An event that does not come to its ID.
  package init(_ damaged: DamagedEvent) {
    branch = damaged.branch
    sequence = damaged.sequence
    id = damaged.id
    isDamaged = true
  }

  /// Whether its branch is known: the log may have grown since it was looked at, and what lies on a
  /// newer branch is for the next sync.
  func isIn(_ tree: BranchTree) -> Bool { Int(branch.rawValue) < tree.branches.count }

  /// How it travels; its branch must be known.
  func point(in tree: BranchTree) -> SyncPoint {
    SyncPoint(
      tag: tree[branch].replica.syncTag, sequence: sequence.rawValue, tail: id?.tail ?? 0)
  }
}

extension SyncPoint {
  /// Whether an event with this point is what is wanted; a tail of 0 stands for every event at
  /// the place.
  func satisfies(_ wanted: SyncPoint) -> Bool {
    tag == wanted.tag && sequence == wanted.sequence && (wanted.tail == 0 || wanted.tail == tail)
  }
}
