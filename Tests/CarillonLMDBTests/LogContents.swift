import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Everything that a log returns, compared before and after damage.
struct LogContents: Equatable {
  private let store: StoreID
  private let identity: ReplicaIdentity
  private let generation: UInt64
  private let branches: [Branch]
  /// The events by position.
  private(set) var events: [StoredEvent]

  /// Reads everything, with the events both by position and by branch.
  ///
  /// - Throws: Errors of reading; ``UnexpectedOutcome`` if two results contradict each other.
  init(_ log: some EventLog) throws {
    store = log.storeID
    identity = try log.identity()
    generation = try log.projectionGeneration()
    branches = try log.branches()
    events = []
    try log.scan(after: .start) { event in
      events.append(event.event)
      return true
    }
    for branch in branches {
      try log.scan(branch: branch.index, from: branch.firstSequence) { event in
        guard events.indices.contains(Int(event.position.rawValue) - 1),
          events[Int(event.position.rawValue) - 1] == event.event,
          try log.position(on: branch.index, at: event.sequence) == event.position
        else { throw UnexpectedOutcome() }
        return true
      }
      guard try log.position(of: branch.headID) != nil else { throw UnexpectedOutcome() }
    }
  }

  /// Whether the only difference is in the erasures that redacted events name.
  func differsInErasures(from other: LogContents) -> Bool {
    var (same, named) = (self, other)
    same.events = events.map(\.withoutErasure)
    named.events = other.events.map(\.withoutErasure)
    return self != other && same == named
  }

  /// Whether the other log has the same contents, possibly followed by more events.
  func isHeld(by other: LogContents) -> Bool {
    store == other.store && identity == other.identity && generation == other.generation
      && branches.count <= other.branches.count && other.events.starts(with: events)
  }
}

extension EventLog {
  /// Returns all events as runs, one for each branch, as they are sent to an empty replica.
  func allRuns() throws -> [EventRun] {
    try branches().map { branch in
      var items: [EventRun.Item] = []
      try scan(branch: branch.index, from: branch.firstSequence) { event in
        let timestamp = event.id.timestamp
        items.append(
          event.redacted.map { EventRun.Item(timestamp: timestamp, redacted: $0) }
            ?? EventRun.Item(timestamp: timestamp, payload: Array(event.payload)))
        return true
      }
      return EventRun(
        replica: branch.replica, firstSequence: branch.firstSequence,
        previous: try previous(of: branch), items: items, lastID: branch.headID)
    }
  }

  private func previous(of branch: Branch) throws -> EventID {
    guard let parent = branch.parent else { return EventChain.root(of: branch.replica) }
    var id: EventID?
    try scan(branch: parent.branch, from: parent.sequence) { event in
      id = event.id
      return false
    }
    return try #require(id)
  }
}

extension StoredEvent {
  /// The event with its own ID as the erasure if it is redacted.
  fileprivate var withoutErasure: StoredEvent {
    guard let redacted else { return self }
    return StoredEvent(
      id: id, replica: replica, sequence: sequence,
      redacted: RedactedContent(digest: redacted.digest, erasure: id))
  }
}
