package import CarillonModel
internal import Foundation
internal import Logging

extension SQLiteProjections {
  /// Calls `body` with the state at an earlier moment: the events whose timestamp, to the
  /// millisecond, is at or before it.
  ///
  /// The projections in use do not change.
  ///
  /// - Throws: `cancelled`, `io`.
  /// - Complexity: O(events), because a shadow build is made and removed.
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

  /// Returns the state at an earlier moment.
  package func state(asOf moment: Instant, range: ClosedRange<CivilDate>?) async throws
    -> StoreState
  {
    try await read(asOf: moment) { try $0.state(range: range) }
  }

  /// Returns the digest of the state at an earlier moment, the number of events in that state, and
  /// the number of those that are damaged in the log and therefore have no effect.
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

  /// Makes a shadow build and compares all of its rows with those in use, and the kept plan with a
  /// new one.
  ///
  /// Changes nothing.
  ///
  /// A difference is checked again if events were appended in the meantime: an erasure among them
  /// may have removed payloads from the log whose earlier rows were still in use.
  ///
  /// - Parameters:
  ///   - progress: Called from time to time.
  ///   - plan: Computes the plan for a basis.
  /// - Returns: The first row that differs, in the order of tables and keys; nil if none does.
  /// - Throws: `cancelled`, `busy`, `io`.
  /// - Complexity: O(events).
  package func check(
    _ progress: @escaping BuildProgress = { _, _ in },
    plan: (@Sendable (PlanBasis, ProjectionReader) throws -> NotificationPlan)? = nil
  ) async throws -> RowDifference? {
    try await differences(progress) { comparison in
      var found = RowDifferences()
      if let first = try comparison.firstDifference() {
        found.add(first)
      } else {
        try self.planDifferences(comparison.served, plan).first.map { found.add($0) }
      }
      return found
    }.rows.first
  }

  /// Like ``check(_:plan:)``, but continues after the first difference, and also checks the indexes
  /// of the tables and the number of retained facts.
  ///
  /// - Returns: The first differences of each table, and the number of all.
  package func checkFully(
    _ progress: @escaping BuildProgress,
    plan: @escaping @Sendable (PlanBasis, ProjectionReader) throws -> NotificationPlan
  ) async throws -> RowDifferences {
    try await differences(progress) { comparison in
      var found = RowDifferences()
      try comparison.visitDifferences {
        found.add($0)
        return true
      }
      try found.add(checking: "file") { try comparison.indexDamages() }
      try found.add(checking: "item") { try comparison.excessFacts() }
      try found.add(checking: "plan") { try self.planDifferences(comparison.served, plan) }
      try found.add(checking: "kept_days") {
        try self.reader(of: comparison.served).keptDaysDifferences()
      }
      return found
    }
  }

  private func differences(
    _ progress: @escaping BuildProgress,
    _ compare: @escaping @Sendable (RowComparison) throws -> RowDifferences
  ) async throws -> RowDifferences {
    var checkCount = 0
    while true {
      checkCount += 1
      let (found, position) = try await checkOnce(progress, compare)
      guard !found.rows.isEmpty, checkCount < Self.maxChecks, try log.lastPosition() > position
      else { return found }
    }
  }

  /// The limit on repeated checks, so that a process that writes continuously cannot keep a check
  /// from finishing.
  private static var maxChecks: Int { 5 }

  /// Compares the rows at one position, and returns that position with the result.
  private func checkOnce(
    _ progress: @escaping BuildProgress,
    _ compare: @escaping @Sendable (RowComparison) throws -> RowDifferences
  ) async throws -> (found: RowDifferences, position: LogPosition) {
    // Before taking the lock: if the file is damaged it is built again, which needs the lock.
    _ = try await catchUp()
    let lock = try await lockShadow()
    defer { withExtendedLifetime(lock) {} }
    let served = try snapshotToCheck()
    // Closed here, not by its last reference: a reader that is closed after the store's own
    // connection leaves SQLite's files next to the database.
    defer { served.close() }
    if served.access == .memory, let damage = try await fileDamage(served.generation) {
      var found = RowDifferences()
      found.add(damage)
      return (found, try log.lastPosition())
    }
    let position = try await served.perform { try Checkpoint($0).position }
    let found = try await withShadowBuild(
      .through(position), inFile: lock != nil, progress
    ) { fresh, _ in
      try await served.perform { connection in
        try fresh.perform { fresh in
          try compare(RowComparison(served: connection, fresh: fresh))
        }
      }
    }
    return (found, position)
  }

  /// Opens a separate connection, which reads the rows of one moment while other connections
  /// continue.
  ///
  /// The generation does not change while the caller holds the build lock.
  private func snapshotToCheck() throws -> ProjectionDatabase {
    let serving = try current()
    guard serving.access != .memory else { return try serving.copiedToMemory() }
    let served = try ProjectionDatabase.open(
      files.file(of: serving.generation), generation: serving.generation, log: log,
      for: serving.access == .frozen ? .frozen : .read)
    try served.perform { try $0.execute(script: "BEGIN") }
    return served
  }

  private func planDifferences(
    _ connection: Connection, _ plan: ((PlanBasis, ProjectionReader) throws -> NotificationPlan)?
  ) throws -> [RowDifference] {
    guard let plan else { return [] }
    let reader = try reader(of: connection)
    return try CachedPlan(connection: connection).differences(at: reader.position) {
      try plan($0, reader)
    }
  }

  private func reader(of connection: Connection) throws -> ProjectionReader {
    ProjectionReader(
      connection: connection, checkpoint: try Checkpoint(connection), log: log, isWritable: false)
  }

  /// Acquires the right to write a shadow build to a file; returns nil if no file can be written.
  private func lockShadow() async throws -> BuildLock? {
    guard files.isWritable else { return nil }
    do {
      return try await BuildLock.wait(files, limit: builderLimit)
    } catch let error as ProjectionError where error.code == .full {
      return nil
    }
  }

  /// Makes a shadow build, calls `body` with it, and removes it.
  ///
  /// - Parameter inFile: Whether to build a file, for which the caller must hold the build lock.
  ///   Otherwise, and if the disk becomes full, the build is made in memory.
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
    let file = files.shadowFile
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
  /// Creates a result from the value or the error of asynchronous work.
  init(catching work: () async throws -> Success) async {
    do {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
