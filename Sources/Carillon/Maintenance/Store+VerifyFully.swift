internal import CarillonModel
internal import CarillonSQLite
internal import Dispatch
internal import Logging
internal import Synchronization

extension Store {
  /// Checks the whole store and describes all damage: every event's ID, the log's indexes against
  /// the events, all rows of the projections and their indexes against a shadow build, the number
  /// of retained facts, and the kept plan against a new one.
  ///
  /// Changes nothing, except that projections which cannot be opened are rebuilt, which is logged.
  /// The log is read on two threads. If the log is damaged, the projections are not compared.
  ///
  /// - Parameter progress: Called with the number of events processed, each once for the log and
  ///   once for the projections.
  /// - Throws: `cancelled`, and the errors of reading.
  /// - Complexity: O(events). Memory use is constant.
  package func verifyFully(
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> StoreVerification {
    try await StoreError.translating {
      let last = try self.log.lastPosition().rawValue
      let total = 2 * last
      var damages = try await self.logDamages { progress(.init(done: $0, total: total)) }
      guard damages.allSatisfy({ $0.part == .content }) else {
        damages.append(
          StoreDamage(
            part: .notChecked,
            message: "the projections and the plan were not checked, since the log is damaged"))
        return StoreVerification(eventCount: last, damages: damages, rowCounts: [:])
      }
      damages += try await self.contentHealth().map { StoreDamage(part: .content, message: $0) }
      let rows = try await self.projections.checkFully(
        { done, _ in progress(.init(done: last + min(done, last), total: total)) },
        plan: { try Self.plan($0, $1) })
      damages += rows.rows.map(Self.damage)
      if rows.rows.isEmpty, let digest = try await self.digestDamage() { damages.append(digest) }
      return StoreVerification(eventCount: last, damages: damages, rowCounts: rows.counts)
    }
  }

  /// Repairs what a full check finds and what follows from intact events: the log's indexes, the
  /// projections and the kept plan.
  ///
  /// No event changes. Projections are not rebuilt while the log lacks content, since they may
  /// still have it.
  ///
  /// - Parameter progress: As for ``verifyFully(progress:)``, for each check again.
  /// - Throws: The errors of ``verifyFully(progress:)`` and ``rebuild(progress:)``.
  /// - Complexity: O(events).
  package func repair(
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> StoreRepair {
    let found = try await verifyFully(progress: progress)
    var left = found
    if left.has(.index), try await rebuildIndex() {
      left = try await verifyFully(progress: progress)
    }
    let mayRebuild = !left.damages.contains { $0.isLoss && $0.remedy == .audit }
    guard mayRebuild, left.has(.projection) || left.has(.plan) else {
      return StoreRepair(found: found, left: left)
    }
    if left.has(.projection) {
      _ = try await rebuild(progress: progress)
    } else {
      try await StoreError.translating { try await self.projections.removeKeptPlan() }
    }
    _ = try await plan()
    return StoreRepair(found: found, left: try await verifyFully(progress: progress))
  }

  // MARK: -

  /// Returns false if the events do not allow it.
  private func rebuildIndex() async throws(StoreError) -> Bool {
    do {
      try await StoreError.translating { try await self.storedLog?.rebuildIndex() }
      return true
    } catch  where error.code == .corrupt {
      logger.notice("the log's indexes cannot be rebuilt: \(error)")
      return false
    }
  }

  /// Checks the log without blocking the caller's thread.
  private func logDamages(
    _ progress: @escaping @Sendable (UInt64) -> Void
  ) async throws -> [StoreDamage] {
    guard let log = storedLog else {
      return try self.log.damagedEvents().map {
        StoreDamage(part: .event, message: "the event is damaged", position: $0.position)
      }
    }
    let state = CheckState()
    let problems = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try log.verify(maxProblemCount: 1_000) { count in
                progress(state.count.add(count, ordering: .relaxed).newValue)
                return !state.isCancelled.load(ordering: .relaxed)
              }
            })
        }
      }
    } onCancel: {
      state.isCancelled.store(true, ordering: .relaxed)
    }
    try Task.checkCancellation()
    guard !problems.isEmpty else { return [] }
    // Names are read from events, of which some may be damaged; the replica's ID is always known.
    let names = (try? replicaNames()) ?? [:]
    return problems.map { problem in
      StoreDamage(
        part: Self.part(problem.kind), message: problem.message, position: problem.position,
        replica: problem.replica.map { names[$0] ?? $0.description },
        sequence: problem.sequence, table: problem.table)
    }
  }

  private static func part(_ kind: LogProblem.Kind) -> StoreDamage.Part {
    switch kind {
    case .damage: .event
    case .index: .index
    case .freePages: .freePages
    case .missingContent: .content
    }
  }

  private static func damage(_ row: RowDifference) -> StoreDamage {
    let part: StoreDamage.Part =
      switch row.table {
      case "unconfirmed": .content
      case "plan", "pending", "plan_problem", "plan_left_out", "request": .plan
      default: .projection
      }
    let message =
      switch row.kind {
      case .different: "the row differs from what the events give"
      case .missing: "the row is missing"
      case .superfluous: "no event gives the row"
      case .unreadable: "the table cannot be read"
      }
    return StoreDamage(
      part: part,
      message: part == .content ? "the log has lost content that the projections have" : message,
      table: row.table, key: row.key)
  }

  private func digestDamage() async throws -> StoreDamage? {
    let (cached, computed) = try await projections.read {
      (try $0.cachedDigest(), try $0.computedDigest())
    }
    guard let cached, cached != computed else { return nil }
    return StoreDamage(
      part: .projection, message: "the stored digest is not that of the rows", table: "checkpoint",
      key: "digest")
  }
}

/// The state that the threads of a check share with the task that waits for it.
private final class CheckState: Sendable {
  let count = Atomic<UInt64>(0)
  let isCancelled = Atomic(false)
}
