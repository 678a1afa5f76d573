internal import CarillonModel

/// A walk over all events that finds those which do not come to their IDs.
///
/// An ID follows from the payload and from the ID before it. Where an event does not come to its
/// ID, the events behind it tell what is damaged: the next follows from the ID that was written, or
/// from one to which those before come with other IDs than they bear.
struct DamageScan {
  private(set) var damaged: [DamagedEvent] = []
  /// The event of the same branch that was met before.
  private var last: Link?
  private let snapshot: LogSnapshot

  static let maxCount = 1_000

  private struct Link {
    /// As it stands.
    let id: EventID
    /// What it comes to, if it or those before it bear damaged IDs; empty where it is whole.
    let candidates: [EventID]
    /// Its place in `damaged`, where it is there.
    let damagedIndex: Int?
  }

  init(_ snapshot: LogSnapshot) {
    self.snapshot = snapshot
  }

  /// Looks at all events, branch by branch: the runs say where they lie, so that an event whose own
  /// place is damaged is found too.
  ///
  /// - Throws: `corrupt` where one cannot be read at all.
  mutating func run() throws {
    for branch in snapshot.state.branches where damaged.count < Self.maxCount {
      last = nil
      var sequence = branch.firstSequence.rawValue
      _ = try EventScan(snapshot).visitRecords(
        of: branch.index.rawValue, sequence...branch.headSequence.rawValue
      ) { position, record in
        try check(record, at: sequence, of: branch, position)
        sequence += 1
        return damaged.count < Self.maxCount
      }
      if let last, last.id == branch.headID { confirmID(of: last) }
    }
    damaged.sort { $0.position < $1.position }
  }

  private mutating func check(
    _ record: EventRecord, at sequence: UInt64, of branch: Branch, _ position: UInt64
  ) throws {
    let index = branch.index.rawValue
    let event = record.placed(index, sequence)
    let digest = event.digest
    func id(behind previous: EventID) -> EventID {
      EventChain.id(
        sequence: SequenceNumber(rawValue: sequence), timestamp: event.id.timestamp,
        previous: previous, payload: digest)
    }
    let before = last
    let computed = id(
      behind: try before?.id ?? snapshot.previousID(on: index, before: sequence))
    if computed == event.id, let before { confirmID(of: before) }
    let candidates = [computed] + (before?.candidates ?? []).map(id(behind:))
    guard !candidates.contains(event.id) || !record.isAt(index, sequence) else {
      last = Link(id: event.id, candidates: [], damagedIndex: nil)
      return
    }
    let isIntact = candidates.contains(event.id)
    last = Link(
      id: event.id, candidates: isIntact ? [] : candidates, damagedIndex: damaged.count)
    damaged.append(
      DamagedEvent(
        position: Position(rawValue: position), branch: branch.index,
        sequence: SequenceNumber(rawValue: sequence), id: isIntact ? event.id : nil))
  }

  /// It is the payload that is damaged, and not the ID.
  private mutating func confirmID(of link: Link) {
    guard let index = link.damagedIndex else { return }
    let event = damaged[index]
    damaged[index] = DamagedEvent(
      position: event.position, branch: event.branch, sequence: event.sequence, id: link.id)
  }
}
