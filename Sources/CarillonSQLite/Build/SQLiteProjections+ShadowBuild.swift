package import CarillonModel
internal import Foundation
internal import Logging

extension SQLiteProjections {
  /// Calls `body` with the state of an earlier moment: of the events whose timestamp's millisecond
  /// is at or before it.
  ///
  /// What is served stays.
  ///
  /// - Throws: `cancelled`, `io`.
  /// - Complexity: O(events): projections are built beside, and removed.
  package func read<T: Sendable>(
    asOf moment: Instant, _ progress: @escaping BuildProgress = { _, _ in },
    _ body: @escaping @Sendable (ProjectionReader) throws -> T
  ) async throws -> T {
    let lock = try await lockShadow()
    defer { withExtendedLifetime(lock) {} }
    return try await withShadowBuild(.until(moment), inFile: lock != nil, progress) { fresh, _ in
      try await fresh.perform { connection in
        try connection.transaction(.deferred) {
          try body(
            ProjectionReader(
              connection: connection, checkpoint: Checkpoint(connection), log: self.log,
              moment: moment, isWritable: false))
        }
      }
    }
  }

  /// What the state was at an earlier moment.
  package func state(asOf moment: Instant, range: ClosedRange<CivilDate>?) async throws -> State {
    try await read(asOf: moment) { try $0.state(range: range) }
  }

  /// The digest of the state at an earlier moment, of how many events it is, and how many of them
  /// are damaged in the log and so show nothing.
  package func digest(
    until moment: Instant, _ progress: @escaping BuildProgress = { _, _ in }
  ) async throws -> (events: UInt64, damaged: Int, digest: StateDigest) {
    let lock = try await lockShadow()
    defer { withExtendedLifetime(lock) {} }
    return try await withShadowBuild(
      .until(moment), inFile: lock != nil, progress
    ) { fresh, events in
      try await fresh.perform { connection in
        let reader = ProjectionReader(
          connection: connection, checkpoint: try Checkpoint(connection), log: self.log,
          isWritable: false)
        return (events, try reader.contentlessCounts().damaged, try reader.computedDigest())
      }
    }
  }

  /// Builds the projections beside those that serve and compares all rows, and the kept plan with a
  /// new one; changes nothing.
  ///
  /// A difference is looked at again where events came meanwhile: an erasure among them may have
  /// taken payloads out of the log which the rows of before it still stood for.
  ///
  /// - Parameters:
  ///   - progress: Called now and then.
  ///   - plan: Plans for a basis.
  /// - Returns: The first row that differs, in the order of tables and keys; nil where none does.
  /// - Throws: `cancelled`, `busy`, `io`.
  /// - Complexity: O(events).
  package func check(
    _ progress: @escaping BuildProgress = { _, _ in },
    plan: (@Sendable (PlanBasis, ProjectionReader) throws -> Plan)? = nil
  ) async throws -> RowDifference? {
    var checkCount = 0
    while true {
      checkCount += 1
      let (difference, position) = try await checkOnce(progress, plan)
      guard difference != nil, checkCount < Self.maxChecks, try log.lastPosition() > position
      else { return difference }
    }
  }

  /// Somebody who writes all the time must not keep a check from its end.
  private static var maxChecks: Int { 5 }

  /// Compares the rows of one moment; tells of which.
  private func checkOnce(
    _ progress: @escaping BuildProgress,
    _ plan: (@Sendable (PlanBasis, ProjectionReader) throws -> Plan)?
  ) async throws -> (difference: RowDifference?, position: Position) {
    // Before the lock: a file that turns out to be damaged is built anew, which needs the lock.
    _ = try await catchUp()
    let lock = try await lockShadow()
    defer { withExtendedLifetime(lock) {} }
    let served = try snapshotToCheck()
    if served.access == .memory, let damage = try await fileDamage(served.generation) {
      return (damage, try log.lastPosition())
    }
    let position = try await served.perform { try Checkpoint($0).position }
    let difference = try await withShadowBuild(
      .through(position), inFile: lock != nil, progress
    ) { fresh, _ in
      try await served.perform { connection in
        // The file that serves may be gone meanwhile; its rows stay until this has ended.
        defer { withExtendedLifetime(served) {} }
        return try fresh.perform { fresh in
          try RowComparison(served: connection, fresh: fresh).firstDifference()
            ?? self.planDifference(connection, plan)
        }
      }
    }
    return (difference, position)
  }

  /// A connection of its own, which holds the rows of one moment while others go on.
  ///
  /// While the caller has the build lock, the generation stays.
  private func snapshotToCheck() throws -> ProjectionDatabase {
    let serving = try current()
    guard serving.access != .memory else { return try serving.copiedToMemory() }
    let served = try ProjectionDatabase.open(
      files.file(of: serving.generation), generation: serving.generation, log: log,
      for: serving.access == .frozen ? .frozen : .read)
    try served.perform { try $0.execute(script: "BEGIN") }
    return served
  }

  private func planDifference(
    _ connection: Connection, _ plan: ((PlanBasis, ProjectionReader) throws -> Plan)?
  ) throws -> RowDifference? {
    guard let plan else { return nil }
    let reader = ProjectionReader(
      connection: connection, checkpoint: try Checkpoint(connection), log: log, isWritable: false)
    return try KeptPlan(connection: connection).firstDifference(at: reader.position) {
      try plan($0, reader)
    }
  }

  /// The right to build a file beside; nil where none can be made.
  private func lockShadow() async throws -> BuildLock? {
    guard files.isWritable else { return nil }
    do {
      return try await BuildLock.wait(files, limit: builderLimit)
    } catch let error as ProjectionError where error.code == .full {
      return nil
    }
  }

  /// Builds projections that never serve, gives them to `body`, and removes them.
  ///
  /// - Parameter inFile: Whether to build a file, for which the caller has the build lock; in
  ///   memory otherwise, and where the disk becomes full.
  private func withShadowBuild<T>(
    _ scope: ProjectionBuild.Scope, inFile: Bool, _ progress: @escaping BuildProgress,
    _ body: (ProjectionDatabase, _ events: UInt64) async throws -> T
  ) async throws -> T {
    if inFile {
      do {
        return try await withShadowFile(scope, progress, body)
      } catch let error as ProjectionError where error.code == .full {
        logger.debug("building in memory: \(error)")
      }
    }
    let (database, events) = try await builtInMemory(0, scope, progress)
    return try await body(database, events)
  }

  private func withShadowFile<T>(
    _ scope: ProjectionBuild.Scope, _ progress: @escaping BuildProgress,
    _ body: (ProjectionDatabase, _ events: UInt64) async throws -> T
  ) async throws -> T {
    let file = files.besideFile
    let events = try await build(file, generation: 0, scope, progress)
    let outcome = await Result {
      let database = try ProjectionDatabase.open(file, generation: 0, log: log, for: .read)
      defer { database.close() }
      return try await body(database, events)
    }
    try ProjectionFiles.remove(file)
    return try outcome.get()
  }
}

extension Result where Failure == any Error {
  /// Catches what asynchronous work throws.
  init(catching work: () async throws -> Success) async {
    do {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
