public import CarillonModel
internal import Foundation

/// A range of one branch.
public struct EventRange: Hashable, Sendable {
  /// Who wrote the events.
  public let replica: ReplicaID
  /// The branch, in the log that holds the range.
  public let branch: BranchIndex
  /// The first and the last.
  public let sequences: ClosedRange<SequenceNumber>

  /// How many events it has.
  public var count: UInt64 { sequences.upperBound.rawValue - sequences.lowerBound.rawValue + 1 }
}

/// What two replicas of a store lack of each other.
public struct StoreDifference: Hashable, Sendable {
  /// What only the first holds.
  public let onlyHere: [EventRange]
  /// What only the other holds.
  public let onlyThere: [EventRange]

  /// Whether both hold the same events.
  public var isEmpty: Bool { onlyHere.isEmpty && onlyThere.isEmpty }
}

extension Store {
  /// Which events each of two replicas holds and the other lacks.
  ///
  /// Writes nothing.
  ///
  /// - Throws: `otherStore` for a replica of another store.
  /// - Complexity: O(branches × log²(events)), since whoever holds an event holds all before it.
  public func difference(from other: Store) throws -> StoreDifference {
    guard other.id == id else {
      throw StoreError(
        code: .otherStore,
        message: "\(other.directory.path) is a replica of store \(other.id), "
          + "not of \(id)", hint: "compare replicas of one store")
    }
    return try translatingLogErrors {
      StoreDifference(
        onlyHere: try log.ranges(lackedBy: other.log),
        onlyThere: try other.log.ranges(lackedBy: log))
    }
  }

  /// Calls `body` with the IDs of a range of this store, in order.
  public func forEachID(in range: EventRange, _ body: (EventID) throws -> Void) throws {
    try log.scan(branch: range.branch, from: range.sequences.lowerBound) { raw in
      try body(raw.id)
      return raw.sequence < range.sequences.upperBound
    }
  }
}

extension EventReader {
  fileprivate func ranges(lackedBy other: any EventReader) throws -> [EventRange] {
    try branches().compactMap { branch in
      let first = try firstLacked(of: branch, by: other)
      guard first <= branch.headSequence.rawValue else { return nil }
      return EventRange(
        replica: branch.replica, branch: branch.index,
        sequences: SequenceNumber(rawValue: first)...branch.headSequence)
    }
  }

  /// The first sequence of a branch's own events that another log lacks; one more than the head's
  /// where it lacks none.
  private func firstLacked(of branch: Branch, by other: any EventReader) throws -> UInt64 {
    var low = branch.firstSequence.rawValue
    var high = branch.headSequence.rawValue + 1
    while low < high {
      let middle = low + (high - low) / 2
      guard let id = try id(on: branch.index, at: SequenceNumber(rawValue: middle)) else {
        throw StoreError(code: .corrupt, message: "a branch ends before its head; run verify")
      }
      if try other.position(of: id) != nil { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The ID of the event at a place of a branch, or nil beyond its head.
  func id(on branch: BranchIndex, at sequence: SequenceNumber) throws -> EventID? {
    var found: EventID?
    try scan(branch: branch, from: sequence) { raw in
      found = raw.id
      return false
    }
    return found
  }
}
