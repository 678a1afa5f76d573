internal import CarillonModel

/// A walk over all events that finds those which do not come to their IDs.
///
/// An ID follows from the payload and from the ID before it. Where an event does not come to its
/// ID, the event behind it tells which of the two is damaged: it follows from the ID that was
/// written.
struct DamageScan {
  private(set) var damaged: [DamagedEvent] = []
  /// By branch: the last event that was met.
  private var last: [Link?]
  private let snapshot: LogSnapshot

  static let maxCount = 1_000

  private struct Link {
    /// As it stands.
    let id: EventID
    /// What it comes to.
    let computed: EventID
    /// Its place in `damaged`, where it is there.
    let damagedIndex: Int?
  }

  init(_ snapshot: LogSnapshot) {
    self.snapshot = snapshot
    last = Array(repeating: nil, count: snapshot.state.branches.count)
  }

  /// Looks at all events.
  ///
  /// - Throws: `corrupt` where one cannot be read at all.
  mutating func run() throws {
    let count = snapshot.state.lastPosition
    guard count > 0 else { return }
    var scan = EventScan(snapshot)
    _ = try scan.visit(1...count) { event in
      try check(event)
      return damaged.count < Self.maxCount
    }
    for branch in snapshot.state.branches {
      guard let link = last[Int(branch.index.rawValue)] else { continue }
      if branch.headID == link.computed { blameID(of: link) }
    }
  }

  private mutating func check(_ event: RawEvent) throws {
    let index = Int(event.branch.rawValue)
    let digest = event.digest
    func id(behind previous: EventID) -> EventID {
      EventChain.id(
        sequence: event.sequence, timestamp: event.id.timestamp, previous: previous,
        payload: digest)
    }
    let before = try last[index]?.id ?? parentID(of: snapshot.state.branches[index])
    var computed = id(behind: before)
    if computed != event.id, let link = last[index], link.damagedIndex != nil,
      id(behind: link.computed) == event.id
    {
      blameID(of: link)
      computed = event.id
    }
    var damagedIndex: Int?
    if computed != event.id {
      damagedIndex = damaged.count
      damaged.append(
        DamagedEvent(
          position: event.position, branch: event.branch, sequence: event.sequence, id: event.id))
    }
    last[index] = Link(id: event.id, computed: computed, damagedIndex: damagedIndex)
  }

  /// It is the ID that is damaged, and not the payload.
  private mutating func blameID(of link: Link) {
    guard let index = link.damagedIndex, link.id != link.computed else { return }
    let event = damaged[index]
    damaged[index] = DamagedEvent(
      position: event.position, branch: event.branch, sequence: event.sequence, id: nil)
  }

  private func parentID(of branch: Branch) throws -> EventID {
    guard let parent = branch.parent else { return EventChain.root(of: branch.replica) }
    let owner = snapshot.owner(of: parent.sequence.rawValue, on: Int(parent.branch.rawValue))
    guard let owner else {
      throw LogError.corrupt("a branch leaves another where that has no event")
    }
    return try snapshot.id(of: owner, at: parent.sequence.rawValue)
  }
}
