package import CarillonModel
import CarillonSQLite

/// The progress of a rebuild.
public struct RebuildProgress: Hashable, Sendable {
  /// The number of events applied.
  public let done: UInt64
  /// The number of events to apply, as far as known.
  public let total: UInt64
}

/// The result of a rebuild.
public struct RebuildReport: Hashable, Sendable {
  /// The number of events applied.
  public let events: UInt64
  /// The number of applied events that are damaged in the log and therefore have no effect.
  package let damagedEventCount: Int
  /// The duration of the rebuild.
  package let duration: Duration
  /// The digest of the rebuilt state.
  package let stateDigest: StateDigest
}

/// The first difference between the current projections and freshly built ones.
package struct ProjectionDifference: Hashable, Sendable {
  /// The table's name.
  package let table: String
  /// The key of the row, as text.
  package let key: String
}

/// The digest of a store's state at a moment.
package struct StateDigestReport: Hashable, Sendable {
  /// The number of events whose timestamps, in milliseconds, are at or before the moment.
  package let eventCount: UInt64
  /// The number of those that are damaged in the log and therefore have no effect.
  package let damagedEventCount: Int
  /// The digest of the state that they give.
  package let digest: StateDigest
}

extension Store {
  /// Rebuilds the projections from the log, in a shadow build that replaces the current ones when
  /// it is complete.
  ///
  /// Cancelling the task leaves everything unchanged.
  ///
  /// - Parameter progress: Called with the number of events applied and the number to apply.
  /// - Complexity: O(events).
  public func rebuild(
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> RebuildReport {
    try await StoreError.translating {
      let clock = ContinuousClock()
      let start = clock.now
      let events = try await self.projections.rebuild { done, total in
        progress(RebuildProgress(done: done, total: total))
      }
      let (digest, damaged) = try await self.projections.read {
        (try $0.stateDigest(), try $0.contentlessCounts().damaged)
      }
      return RebuildReport(
        events: events, damagedEventCount: damaged, duration: clock.now - start,
        stateDigest: digest)
    }
  }

  /// Compares the current projections with a shadow build, row by row, and the kept plan with a new
  /// one.
  ///
  /// Changes nothing.
  ///
  /// If no file can be created for the shadow build, because of missing space or permission, it is
  /// built in memory.
  ///
  /// - Parameter progress: Called with the number of events applied and the number to apply.
  /// - Returns: The first table and key that differ, or nil.
  package func checkProjections(
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> ProjectionDifference? {
    try await StoreError.translating {
      try await self.projections.check(
        { done, total in progress(RebuildProgress(done: done, total: total)) },
        plan: { try Self.plan($0, $1) }
      ).map { ProjectionDifference(table: $0.table, key: $0.key) }
    }
  }

  /// Returns the number of events that are damaged in the log and therefore have no effect.
  package func damagedEventCount() async throws -> Int {
    try await read { try $0.reader.contentlessCounts().damaged }
  }

  /// Returns the digest of the state at a moment.
  ///
  /// The current projections are unchanged.
  package func stateDigest(asOf moment: Instant) async throws -> StateDigestReport {
    try await StoreError.translating {
      let (events, damaged, digest) = try await self.projections.digest(until: moment)
      return StateDigestReport(eventCount: events, damagedEventCount: damaged, digest: digest)
    }
  }
}
