public import CarillonModel

/// Whose heads are closed.
public enum ClosedReplicas: Hashable, Sendable {
  /// Those of all replicas but this one.
  case all
  /// Those of these replicas.
  case named(Set<ReplicaID>)
  /// Those whose last event was written before an instant.
  case unheard(since: Instant)
}

/// What was closed.
public struct ClosingReport: Hashable, Sendable {
  /// What was written.
  public let written: Written
  /// The heads that were closed.
  public let closed: [Head]
  /// How many heads there were.
  public let headsBefore: Int
  /// How many there are.
  public let headsAfter: Int
}

extension Store {
  /// Closes the heads of replicas that write no more, such as copies of a directory.
  ///
  /// Every sync names the heads of all replicas, and takes in no further one beyond 1,984. Closed
  /// heads are not named any more, here and on every replica that syncs. Nothing is lost: their
  /// events stay, and where such a replica writes all the same, its head is there again. This
  /// replica's own head is never closed.
  ///
  /// - Parameters:
  ///   - replicas: Whose.
  ///   - isDryRun: Whether to count only.
  /// - Returns: What was closed, or would be.
  /// - Throws: `StoreError`.
  @discardableResult
  public func closeHeads(
    of replicas: ClosedReplicas, isDryRun: Bool = false
  ) async throws -> ClosingReport {
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
    case .unheard(let instant): head.id.timestamp.milliseconds < instant.milliseconds
    }
  }
}
