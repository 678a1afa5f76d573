package import CarillonModel
internal import Foundation

/// A range of events of one branch.
package struct EventRange: Hashable, Sendable {
  /// The replica that wrote the events.
  package let replica: ReplicaID
  /// The branch's index in the log that holds the range.
  package let branch: BranchIndex
  /// The first and the last sequence.
  package let sequences: ClosedRange<SequenceNumber>

  /// The number of events in the range.
  package var count: UInt64 { sequences.upperBound.rawValue - sequences.lowerBound.rawValue + 1 }
}

/// The events that each of two replicas of a store holds and the other lacks.
package struct StoreDifference: Hashable, Sendable {
  /// The events that only the first replica holds.
  package let onlyHere: [EventRange]
  /// The events that only the other replica holds.
  package let onlyThere: [EventRange]

  /// Whether both replicas hold the same events.
  package var isEmpty: Bool { onlyHere.isEmpty && onlyThere.isEmpty }
}

extension Store {
  /// Returns the events that each of two replicas holds and the other lacks.
  ///
  /// Writes nothing.
  ///
  /// - Throws: `otherStore` if the replica belongs to another store.
  /// - Complexity: O(branches × log²(events)): a log that holds an event also holds every earlier
  ///   event of its branch.
  package func difference(from other: Store) async throws -> StoreDifference {
    guard other.id == id else {
      throw StoreError(
        code: .otherStore,
        message: "\(other.directory.path) is a replica of store \(other.id), "
          + "not of \(id)", hint: "compare replicas of one store")
    }
    return try StoreError.translating {
      StoreDifference(
        onlyHere: try self.log.ranges(lackedBy: other.log),
        onlyThere: try other.log.ranges(lackedBy: self.log))
    }
  }

  /// Returns the event IDs of a range of this store, in order of sequence.
  package func eventIDs(in range: EventRange) async throws -> [EventID] {
    try StoreError.translating {
      var ids: [EventID] = []
      try self.log.scan(branch: range.branch, from: range.sequences.lowerBound) { raw in
        ids.append(raw.id)
        return raw.sequence < range.sequences.upperBound
      }
      return ids
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

  /// Returns the first sequence of a branch's own events that another log lacks; one past the
  /// head's sequence if it lacks none.
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

  /// Returns the ID of the event at a sequence of a branch, or nil beyond its head.
  func id(on branch: BranchIndex, at sequence: SequenceNumber) throws -> EventID? {
    var found: EventID?
    try scan(branch: branch, from: sequence) { raw in
      found = raw.id
      return false
    }
    return found
  }
}
