import CarillonModel

/// The state that one batch of an import passes to the next.
package struct ImportContinuation: Sendable {
  /// The last events of runs, by place.
  private var ends: [EventPlace: [EventID]] = [:]
  /// The events that were left out, by place, because their histories would exceed the maximum
  /// number of heads.
  private var leftOut: [EventPlace: [EventID]] = [:]
  /// The number of events that were left out.
  package private(set) var leftOutCount = 0
  /// The event before the first event of each branch that forks from another, by the first event's
  /// ID.
  private var forks: [EventID: EventID] = [:]
  /// The number of branches already examined for ``forks``.
  private var branchCount = 0

  /// Creates the state of an import that has not started.
  package init() {}

  /// An error that says what was left out and why; nil if nothing was.
  package var problem: StoreError? {
    guard leftOutCount > 0 else { return nil }
    return StoreError(
      code: .invalidValue,
      message: "\(leftOutCount) events were left out: their histories exceed "
        + "\(VersionVector.maxTakenHeads) heads, the maximum; all other events are held",
      reason: .tooManyHeads)
  }

  mutating func end(_ id: EventID, at place: EventPlace) {
    ends[place, default: []].append(id)
  }

  mutating func leaveOut(_ id: EventID, at place: EventPlace) {
    leftOut[place, default: []].append(id)
    leftOutCount += 1
  }

  /// Returns the last event of a run that matches, and moves it to the end of the list, since
  /// interleaved histories are listed in a fixed order.
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

  /// Finds where branches fork that were added since the last call.
  ///
  /// - Complexity: O(new branches): two events for each branch that forks from another.
  mutating func findForks(among branches: [Branch], in log: any EventReader) throws {
    for branch in branches.dropFirst(branchCount) {
      guard let parent = branch.parent,
        let first = try log.id(on: branch.index, at: branch.firstSequence)
      else { continue }
      forks[first] = try log.id(on: branch.index, at: parent.sequence)
    }
    branchCount = branches.count
  }

  /// Returns the event before the first event of a forked branch; nil for any other event.
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

  init(_ event: StoredEvent) {
    self.init(replica: event.replica, sequence: event.sequence.rawValue)
  }

  /// The place one sequence before.
  ///
  /// For a first event it is a place that no event has.
  var previous: EventPlace { EventPlace(replica: replica, sequence: sequence &- 1) }
}
