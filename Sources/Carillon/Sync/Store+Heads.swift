package import CarillonModel

/// The replicas whose heads are closed.
package enum ClosedReplicas: Hashable, Sendable {
  /// All replicas except this one.
  case all
  /// The given replicas.
  case named(Set<ReplicaID>)
  /// Replicas whose last event was written before an instant.
  case inactive(since: Instant)
}

/// The result of closing heads.
package struct ClosingReport: Hashable, Sendable {
  /// What was written.
  package let written: Written
  /// The heads that were closed.
  package let closed: [Head]
  /// The number of heads before.
  package let headsBefore: Int
  /// The number of heads afterwards.
  package let headsAfter: Int
}

extension Store {
  /// Closes the heads of replicas that no longer write, such as copies of a directory.
  ///
  /// Every sync exchanges the heads of all replicas, and no replica accepts more than 1,984. Closed
  /// heads are no longer exchanged, by this replica and by every replica that syncs. Nothing is
  /// lost: their events are kept, and if such a replica writes again, its head is open again. This
  /// replica's own head is never closed.
  ///
  /// - Parameters:
  ///   - replicas: The replicas whose heads to close.
  ///   - isDryRun: Whether only to count.
  /// - Returns: What was closed, or would be closed.
  /// - Throws: `StoreError`.
  @discardableResult
  package func closeHeads(
    of replicas: ClosedReplicas, isDryRun: Bool = false
  ) async throws(StoreError) -> ClosingReport {
    let decided = Locked<(before: Int, closed: [Head])>((0, []))
    let written = try await write(isActivity: false) { context in
      let open = try self.log.branches().filter { !$0.isClosed }
      let closed = open.filter { $0.replica != context.replica && replicas.contain($0.head) }
        .map(\.head)
      decided.set((open.count, closed))
      let starts = stride(from: 0, to: isDryRun ? 0 : closed.count, by: BranchesClosed.maxHeads)
      return Decision(
        payloads: starts.map { start in
          .branchesClosed(
            BranchesClosed(heads: Array(closed[start...].prefix(BranchesClosed.maxHeads))))
        })
    }
    let (before, closed) = decided.value
    let after =
      isDryRun
      ? before - closed.count
      : try await read { _ in try self.log.branches().count { !$0.isClosed } }
    return ClosingReport(
      written: written, closed: closed, headsBefore: before, headsAfter: after)
  }
}

extension ClosedReplicas {
  fileprivate func contain(_ head: Head) -> Bool {
    switch self {
    case .all: true
    case .named(let replicas): replicas.contains(head.replica)
    case .inactive(let instant): head.id.timestamp.milliseconds < instant.milliseconds
    }
  }
}
