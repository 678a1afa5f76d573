internal import CarillonModel

/// A scan of all events for those whose content does not hash to their IDs.
///
/// An ID follows from the payload and from the previous ID. If an event's content does not hash to
/// its ID, the following events show what is damaged. If the next ID follows from the stored ID,
/// the payload is damaged. If it follows from the ID that the contents hash to, the stored ID is
/// damaged.
struct DamageScan<View: LogView> {
  private(set) var damaged: [DamagedEvent] = []
  /// The previous event of the same branch.
  private var preceding: PrecedingEvent?
  private let log: View

  private struct PrecedingEvent {
    /// The stored ID.
    let id: EventID
    /// The possible IDs of the event, if its ID or one before it may be damaged; empty if it is
    /// intact.
    let candidates: [EventID]
    /// The event's index in `damaged`, if it is damaged.
    let damagedIndex: Int?
  }

  static var maxCount: Int { 1_000 }

  init(_ log: View) {
    self.log = log
  }

  /// Checks all events, branch by branch.
  ///
  /// The runs give their positions, so an event whose own place is damaged is found too.
  ///
  /// - Throws: `corrupt` if an event cannot be read at all.
  mutating func run() throws {
    for branch in log.state.branches where damaged.count < Self.maxCount {
      preceding = nil
      var sequence = branch.firstSequence.rawValue
      _ = try log.visitRows(
        of: branch.index.rawValue, sequence...branch.headSequence.rawValue
      ) { event in
        try check(event, at: sequence, of: branch)
        sequence += 1
        return damaged.count < Self.maxCount
      }
      if let preceding, preceding.id == branch.headID { confirmID(of: preceding) }
    }
    damaged.sort { $0.position < $1.position }
  }

  private mutating func check(
    _ event: RawEvent, at sequence: UInt64, of branch: Branch
  ) throws {
    let index = branch.index.rawValue
    let isPlaced = event.branch == branch.index && event.sequence.rawValue == sequence
    let digest = event.digest
    func id(behind previous: EventID) -> EventID {
      EventChain.id(
        sequence: SequenceNumber(rawValue: sequence), timestamp: event.id.timestamp,
        previous: previous, payload: digest)
    }
    let before = preceding
    let computed = id(
      behind: try before?.id ?? log.previousID(on: index, before: sequence))
    if computed == event.id, let before { confirmID(of: before) }
    let candidates = [computed] + (before?.candidates ?? []).map(id(behind:))
    guard !candidates.contains(event.id) || !isPlaced else {
      preceding = PrecedingEvent(id: event.id, candidates: [], damagedIndex: nil)
      return
    }
    let isIntact = candidates.contains(event.id)
    preceding = PrecedingEvent(
      id: event.id, candidates: isIntact ? [] : candidates, damagedIndex: damaged.count)
    damaged.append(
      DamagedEvent(
        position: event.position, branch: branch.index,
        sequence: SequenceNumber(rawValue: sequence), id: isIntact ? event.id : nil))
  }

  /// Records that an event's payload is damaged and its ID is not.
  private mutating func confirmID(of preceding: PrecedingEvent) {
    guard let index = preceding.damagedIndex else { return }
    let event = damaged[index]
    damaged[index] = DamagedEvent(
      position: event.position, branch: event.branch, sequence: event.sequence, id: preceding.id)
  }
}
