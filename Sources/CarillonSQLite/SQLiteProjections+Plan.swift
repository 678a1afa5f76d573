package import CarillonModel
package import Foundation

extension SQLiteProjections {
  /// The plan for a basis: the kept one while nothing changed, else a new one.
  ///
  /// - Parameters:
  ///   - basis: What the plan is for.
  ///   - isKept: Whether a new plan is kept: only one at the device's own capacity and horizon.
  ///   - make: Plans; called in the transaction that keeps what it returns, at most once.
  /// - Returns: A plan as of the basis' moment; a kept one was not computed anew, and says so.
  /// - Throws: `ProjectionError`; `LogError` from the log; what `make` throws.
  /// - Complexity: O(requests) for a kept plan, else as `make`.
  package func plan(
    _ basis: PlanBasis, isKept: Bool,
    _ make: @escaping @Sendable (ProjectionReader) throws -> Plan
  ) async throws -> Plan {
    guard isKept else { return try await read(make) }
    return try await repairing { database in
      try await database.perform { connection in
        let kept = try self.snapshot(of: database, connection) { reader in
          try KeptPlan(connection: connection).read(basis, at: reader.position)
        }
        if let kept { return kept }
        if database.access.isWritable {
          do {
            return try self.planAndKeep(basis, connection, make)
          } catch let error as ProjectionError where [.full, .readOnly].contains(error.code) {
            // Keeping the plan has to wait for room.
          }
        }
        return try self.snapshot(of: database, connection, make)
      }
    }
  }

  /// The kept plan of projections that are up to date, where it answers for a basis; else nil.
  ///
  /// Nothing is opened for longer, built, caught up with or removed, and no thread is started.
  ///
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(requests).
  package static func keptPlan(
    at directory: URL, log: any EventReader, _ basis: PlanBasis
  ) throws -> Plan? {
    let files = ProjectionFiles(directory: directory, isReadOnly: false)
    let end = try log.lastPosition()
    let file = files.file(of: try log.projectionGeneration())
    return try ProjectionDatabase.readOnce(at: file, log: log) { connection in
      let checkpoint = try Checkpoint(connection)
      guard checkpoint.position >= end else { return nil }
      return try KeptPlan(connection: connection).read(basis, at: checkpoint.position)
    }
  }

  /// What is known of all devices, as far as the file that serves has applied the log, and how far
  /// that is.
  ///
  /// Nothing is opened for longer, built, caught up with or removed.
  ///
  /// - Throws: `ProjectionError` where there is no such file to be read; `LogError` from the log.
  package func devicesAsApplied() throws -> (devices: [ReplicaID: Device], position: Position) {
    let file = files.file(of: try log.projectionGeneration())
    return try ProjectionDatabase.readOnce(at: file, log: log) { connection in
      let checkpoint = try Checkpoint(connection)
      let reader = ProjectionReader(
        connection: connection, checkpoint: checkpoint, log: log, isWritable: false)
      return (try reader.devices(), checkpoint.position)
    }
  }

  /// Plans and keeps the plan in one transaction, on the newest state.
  private func planAndKeep(
    _ basis: PlanBasis, _ connection: Connection, _ make: (ProjectionReader) throws -> Plan
  ) throws -> Plan {
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
      try KeptPlan(connection: connection).write(plan, basis, at: checkpoint.position)
      return plan
    }
  }
}
