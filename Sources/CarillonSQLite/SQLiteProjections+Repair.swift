internal import CarillonModel
internal import Logging
internal import Synchronization

/// Restores damaged or missing projections automatically.
extension SQLiteProjections {
  /// Runs a query.
  ///
  /// If the file is damaged, builds it again and repeats the query once.
  ///
  /// - Parameter body: The query; may be called twice.
  /// - Returns: The result of the body.
  /// - Throws: The errors of the body and of ``rebuild(_:)``.
  func repairing<T: Sendable>(
    _ body: (ProjectionDatabase) async throws -> T
  ) async throws -> T {
    var asked: ProjectionDatabase?
    do {
      let database = try current()
      asked = database
      return try await body(database)
    } catch let error as ProjectionError {
      if let asked, try isReplaced(asked) { return try await body(current()) }
      guard canRepair(error) else { throw error }
      try await repair(error)
      return try await body(current())
    }
  }

  /// Whether another generation is in use now, so that the file may have been removed during the
  /// query.
  func isReplaced(_ database: ProjectionDatabase) throws -> Bool {
    try log.projectionGeneration() != database.generation
  }

  /// Whether an error can be repaired by another build, or by projections in memory.
  func canRepair(_ error: ProjectionError) -> Bool {
    switch error.code {
    case .damaged, .full: true
    case .closed, .cancelled: false
    default: !files.isWritable
    }
  }

  /// Restores the projections in the next file, or in memory if no file can be written.
  func repair(_ error: ProjectionError) async throws {
    let generation = try log.projectionGeneration()
    guard files.isWritable, error.code != .full else {
      return try await answerFromMemory(generation, error)
    }
    let upgrade = try files.version(of: generation).map { version in
      "they have version \(version), but this build uses version \(Table.version)"
    }
    logger.log(
      level: generation == 0 ? .debug : .notice,
      "rebuilding the projections: \(upgrade ?? "\(error)")")
    serving.withLock { serving in
      if case .open = serving { serving = .none }
    }
    do {
      try await replace(generation) { _, _ in }
      try await reportDamage()
    } catch let full as ProjectionError where full.code == .full {
      try await answerFromMemory(generation, full)
    } catch let full as LogError where full.code == .full {
      try await answerFromMemory(generation, error)
    }
  }

  /// Logs the number of events that the projections lack.
  private func reportDamage() async throws {
    let count = try await current().perform { try $0.missingPositions().count }
    guard count > 0 else { return }
    logger.warning(
      "\(count) events are damaged or missing in the log and have no effect")
  }

  /// Uses projections in memory if no file can be used.
  private func answerFromMemory(_ generation: UInt64, _ cause: ProjectionError) async throws {
    logger.log(
      level: cause.code == .full ? .notice : .debug, "using projections in memory: \(cause)")
    if !files.isInMemory, let copy = try copyInMemory(generation) {
      serve(copy)
    } else {
      _ = try await serveFromMemory(generation) { _, _ in }
    }
  }

  /// Builds projections in memory for this handle only, and uses them.
  ///
  /// - Returns: The number of applied events.
  func serveFromMemory(
    _ generation: UInt64, _ progress: @escaping BuildProgress
  ) async throws -> UInt64 {
    let (database, events) = try await builtInMemory(generation, .everything, progress)
    serve(database)
    return events
  }

  private func serve(_ database: ProjectionDatabase) {
    serving.withLock { serving in
      if case .closed = serving { return }
      serving = .open(database)
    }
  }

  /// Returns a copy of a file's rows in memory, with the newest events applied; nil if the file
  /// cannot be read.
  private func copyInMemory(_ generation: UInt64) throws -> ProjectionDatabase? {
    let file = files.file(of: generation)
    let stamp = ProjectionFiles.Stamp(file)
    let isAtRest = ProjectionFiles.isAtRest(file)
    do {
      let database = try ProjectionDatabase.open(
        file, generation: generation, log: log, for: isAtRest ? .frozen : .read)
      let copy = try database.copiedToMemory()
      database.close()
      // Without a lock, another process may have started to write the file.
      let isOfOneMoment =
        !isAtRest || ProjectionFiles.isAtRest(file) && stamp == ProjectionFiles.Stamp(file)
      guard isOfOneMoment else { return nil }
      let end = try log.lastPosition()
      try copy.perform { try CatchUp(log: log).run($0, through: end) }
      return copy
    } catch let error as ProjectionError {
      logger.debug("the projection file cannot be copied into memory: \(error)")
      return nil
    }
  }

  /// Builds projections in memory.
  func builtInMemory(
    _ generation: UInt64, _ scope: ProjectionBuild.Scope,
    _ progress: @escaping BuildProgress = { _, _ in }
  ) async throws -> (database: ProjectionDatabase, events: UInt64) {
    try await CancellationFlag.observing { flag in
      let database = try ProjectionDatabase.inMemory(generation: generation, store: log.storeID)
      let build = ProjectionBuild(
        log: log, scope: scope, progress: progress, cancellation: flag)
      return (database, try await database.perform { try build.run($0) })
    }
  }
}
