import CarillonModel

/// What one batch of an import leaves for the next.
package struct ImportContinuation: Sendable {
  /// The last events of runs, by place.
  private var ends: [EventPlace: [EventID]] = [:]
  /// The events that were left out, since they belong to histories that would be one head too many,
  /// by place.
  private var leftOut: [EventPlace: [EventID]] = [:]
  /// How many events were left out.
  package private(set) var leftOutCount = 0
  /// The event before the first one of each branch that left another, by the first one's ID.
  private var forks: [EventID: EventID] = [:]
  /// How many branches were looked at for ``forks``.
  private var branchCount = 0

  /// Nothing was imported yet.
  package init() {}

  /// What was left out, and why; nil where nothing was.
  package var problem: StoreError? {
    guard leftOutCount > 0 else { return nil }
    return StoreError(
      code: .invalidValue,
      message: "\(leftOutCount) events were left out: they are of histories beyond "
        + "\(VersionVector.maxTakenHeads) heads, the most that are taken in; all others are held",
      hint: "close replicas that write no more: carillon replicas close --help")
  }

  mutating func end(_ id: EventID, at place: EventPlace) {
    ends[place, default: []].append(id)
  }

  mutating func leaveOut(_ id: EventID, at place: EventPlace) {
    leftOut[place, default: []].append(id)
    leftOutCount += 1
  }

  /// The last event of a run that matches; it is then tried after all others, since histories that
  /// grow side by side are listed in one order.
  mutating func end(at place: EventPlace, where matches: (EventID) -> Bool) -> EventID? {
    guard let index = ends[place]?.firstIndex(where: matches),
      let id = ends[place]?.remove(at: index)
    else { return nil }
    ends[place]?.append(id)
    return id
  }

  func isLeftOut(at place: EventPlace, where matches: (EventID) -> Bool) -> Bool {
    leftOut[place]?.contains(where: matches) ?? false
  }

  /// Looks up where the branches begin that came since it was called last.
  ///
  /// - Complexity: O(new branches): two events of each that left another.
  mutating func findForks(among branches: [Branch], in log: any EventReader) throws {
    for branch in branches.dropFirst(branchCount) {
      guard let parent = branch.parent,
        let first = try log.id(on: branch.index, at: branch.firstSequence)
      else { continue }
      forks[first] = try log.id(on: branch.index, at: parent.sequence)
    }
    branchCount = branches.count
  }

  /// The event before one with which a branch of the log leaves another; nil for any other event.
  func eventBefore(fork id: EventID) -> EventID? { forks[id] }
}

/// A replica and a sequence.
struct EventPlace: Hashable {
  let replica: ReplicaID
  let sequence: UInt64

  init(replica: ReplicaID, sequence: UInt64) {
    self.replica = replica
    self.sequence = sequence
  }

  init(_ event: Event) {
    self.init(replica: event.replica, sequence: event.sequence.rawValue)
  }

  /// One sequence before; that of a first event stands for none.
  var previous: EventPlace { EventPlace(replica: replica, sequence: sequence &- 1) }
}
