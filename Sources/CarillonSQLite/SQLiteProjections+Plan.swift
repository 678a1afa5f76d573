package import CarillonModel
package import Foundation

extension SQLiteProjections {
  /// Returns the plan for a basis: the kept one if nothing changed, otherwise a new one.
  ///
  /// - Parameters:
  ///   - basis: The basis of the plan.
  ///   - isKept: Whether a new plan is kept. Only a plan at the device's own capacity and horizon
  ///     is kept.
  ///   - make: Computes a plan. Called at most once, in the transaction that keeps its result.
  /// - Returns: A plan with the basis's moment. A kept plan has a count of 0 computed occurrences.
  /// - Throws: `ProjectionError`; `LogError` from the log; any error of `make`.
  /// - Complexity: O(requests) for a kept plan, otherwise that of `make`.
  package func plan(
    _ basis: PlanBasis, isKept: Bool,
    _ make: @escaping @Sendable (ProjectionReader) throws -> NotificationPlan
  ) async throws -> NotificationPlan {
    guard isKept else { return try await read(make) }
    return try await repairing { database in
      try await database.perform { connection in
        let kept = try self.snapshot(of: database, connection) { reader in
          try CachedPlan(connection: connection).read(basis, at: reader.position)
        }
        if let kept { return kept }
        if database.access.isWritable {
          do {
            return try self.planAndKeep(basis, connection, make)
          } catch let error as ProjectionError where [.full, .readOnly].contains(error.code) {
            // The plan can be kept when there is space again.
          }
        }
        return try self.snapshot(of: database, connection, make)
      }
    }
  }

  /// Returns the kept plan of up-to-date projections if it is valid for a basis; otherwise nil.
  ///
  /// Nothing is built, caught up or removed, and no thread is started.
  ///
  /// - Parameter leave: Receives the open file if there is no valid plan. It is closed when it is
  ///   released.
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(requests).
  package static func keptPlan(
    at directory: URL, log: any EventReader, _ basis: PlanBasis,
    leavingOpen leave: (OpenedProjections) -> Void
  ) throws -> NotificationPlan? {
    let files = ProjectionFiles(directory: directory, isReadOnly: false)
    let end = try log.lastPosition()
    let file = files.file(of: try log.projectionGeneration())
    let (plan, opened) = try ProjectionDatabase.readOnce(at: file, log: log) { connection in
      let checkpoint = try Checkpoint(connection)
      return checkpoint.position >= end
        ? try CachedPlan(connection: connection).read(basis, at: checkpoint.position) : nil
    }
    if plan == nil { leave(opened) }
    return plan
  }

  /// Returns all devices as of the last event that the file in use has applied, and that event's
  /// position.
  ///
  /// The file is closed again. Nothing is built, caught up or removed.
  ///
  /// - Throws: `ProjectionError` if there is no such file or it cannot be read; `LogError` from the
  ///   log.
  package func devicesAsApplied() throws -> (devices: [ReplicaID: Device], position: LogPosition) {
    let file = files.file(of: try log.projectionGeneration())
    return try ProjectionDatabase.readOnce(at: file, log: log) { connection in
      let checkpoint = try Checkpoint(connection)
      let reader = ProjectionReader(
        connection: connection, checkpoint: checkpoint, log: log, isWritable: false)
      return (try reader.devices(), checkpoint.position)
    }.0
  }

  /// Records which of the planned repeating requests the system holds from now on.
  ///
  /// A disk without space loses this, and nothing else.
  package func note(held ids: [RequestID], now: Instant) async throws {
    try await repairing { database in
      guard database.access.isWritable else { return }
      try await database.perform { connection in
        do {
          try connection.transaction(.immediate) {
            try CachedPlan(connection: connection).note(held: ids, now: now)
          }
        } catch let error as ProjectionError where [.full, .readOnly].contains(error.code) {
          return
        }
      }
    }
  }

  /// Removes the kept plan, so that the next query computes it.
  package func removeKeptPlan() async throws {
    try await repairing { database in
      try await database.perform { connection in
        try connection.transaction(.immediate) {
          for table in ["plan", "pending", "plan_problem", "plan_left_out"] {
            try connection.execute(script: "DELETE FROM \(table)")
          }
        }
      }
    }
  }

  /// Computes and keeps the plan in one transaction, on the newest state.
  private func planAndKeep(
    _ basis: PlanBasis, _ connection: Connection,
    _ make: (ProjectionReader) throws -> NotificationPlan
  ) throws -> NotificationPlan {
    try connection.transaction(.immediate) {
      let end = try log.lastPosition()
      var checkpoint = try Checkpoint(connection)
      while checkpoint.position < end {
        _ = try CatchUp(log: log).runBatch(connection)
        let next = try Checkpoint(connection)
        guard next.position > checkpoint.position else { throw CatchUp.noProgress(next.position) }
        checkpoint = next
      }
      let plan = try make(
        ProjectionReader(
          connection: connection, checkpoint: checkpoint, log: log, isWritable: true))
      try CachedPlan(connection: connection).write(plan, basis, at: checkpoint.position)
      return plan
    }
  }
}
