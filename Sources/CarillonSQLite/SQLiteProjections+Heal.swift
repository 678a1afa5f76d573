internal import CarillonMigrations
internal import CarillonModel
internal import Logging
internal import Synchronization

/// How projections come back by themselves.
extension SQLiteProjections {
  /// Runs a query; where the file turns out to be damaged, builds it anew and runs it once more.
  ///
  /// - Parameter body: May be called twice.
  /// - Returns: What the body returned.
  /// - Throws: As the body, and as ``rebuild(_:)``.
  func healing<T: Sendable>(
    _ body: (ProjectionDatabase) async throws -> T
  ) async throws -> T {
    var asked: ProjectionDatabase?
    do {
      let database = try current()
      asked = database
      return try await body(database)
    } catch let error as ProjectionError {
      if let asked, try isReplaced(asked) { return try await body(current()) }
      guard canHeal(error) else { throw error }
      try await heal(error)
      return try await body(current())
    }
  }

  /// Whether another generation serves now: the file may have been removed during the query.
  func isReplaced(_ database: ProjectionDatabase) throws -> Bool {
    try log.projectionGeneration() != database.generation
  }

  /// Whether building anew helps.
  func canHeal(_ error: ProjectionError) -> Bool {
    error.code == .damaged || error.code != .closed && !files.isWritable
  }

  /// Builds the projections anew: in the next file, or in memory where none can be written.
  func heal(_ error: ProjectionError) async throws {
    let generation = try log.projectionGeneration()
    let upgrade = try files.version(of: generation).map { version in
      "they are of version \(version), and this build's is \(Migrations.version)"
    }
    logger.log(
      level: generation == 0 ? .debug : .notice,
      "building the projections anew: \(upgrade ?? "\(error)")")
    guard files.isWritable else { return try await serveFromMemory(generation) }
    serving.withLock { serving in
      if case .open = serving { serving = .none }
    }
    try await replace(generation) { _, _ in }
  }

  /// Lets projections in memory serve; they are this handle's own.
  private func serveFromMemory(_ generation: UInt64) async throws {
    let database = try ProjectionDatabase.inMemory(generation: generation, store: log.storeID)
    _ = try await CancellationFlag.observing { flag in
      let build = ProjectionBuild(
        log: log, scope: .everything, progress: { _, _ in }, cancellation: flag)
      return try await database.perform { try build.run($0) }
    }
    serving.withLock { serving in
      if case .closed = serving { return }
      serving = .open(database)
    }
  }
}
