internal import CarillonModel

/// A walk over all events that finds those which do not come to their IDs.
///
/// An ID follows from the payload and from the ID before it. Where an event does not come to its
/// ID, the events behind it tell what is damaged: the next follows from the ID that was written, or
/// from one to which those before come with other IDs than they bear.
struct DamageScan {
  private(set) var damaged: [DamagedEvent] = []
  /// By branch: the last event that was met.
  private var last: [Link?]
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
      guard let link = last[Int(branch.index.rawValue)], link.id == branch.headID else { continue }
      confirmID(of: link)
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
    let before = last[index]
    let computed = id(behind: try before?.id ?? parentID(of: snapshot.state.branches[index]))
    guard computed != event.id else {
      if let before { confirmID(of: before) }
      last[index] = Link(id: event.id, candidates: [], damagedIndex: nil)
      return
    }
    let candidates = [computed] + (before?.candidates ?? []).map(id(behind:))
    guard !candidates.contains(event.id) else {
      last[index] = Link(id: event.id, candidates: [], damagedIndex: nil)
      return
    }
    last[index] = Link(id: event.id, candidates: candidates, damagedIndex: damaged.count)
    damaged.append(
      DamagedEvent(
        position: event.position, branch: event.branch, sequence: event.sequence, id: nil))
  }

  /// It is the payload that is damaged, and not the ID.
  private mutating func confirmID(of link: Link) {
    guard let index = link.damagedIndex else { return }
    let event = damaged[index]
    damaged[index] = DamagedEvent(
      position: event.position, branch: event.branch, sequence: event.sequence, id: link.id)
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
