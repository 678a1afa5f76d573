internal import CarillonModel
internal import Foundation
internal import Logging

extension SQLiteProjections {
  /// Builds the projections anew beside those that serve, then lets the new ones serve.
  ///
  /// Other handles and processes go on with the old file and see the new one with their next
  /// query. Cancelling the task, or an error, leaves everything as it was.
  ///
  /// - Returns: How many events were applied.
  /// - Throws: `cancelled`, `full`, `readOnly`, `io`.
  /// - Complexity: O(events); the memory stays the same.
  package func rebuild(_ progress: @escaping BuildProgress = { _, _ in }) async throws -> UInt64 {
    guard !files.isInMemory else {
      return try await serveFromMemory(try log.projectionGeneration(), progress)
    }
    return try await replace(nil, progress)
  }

  /// Builds the next generation and lets it serve.
  ///
  /// - Parameters:
  ///   - stale: Where another builder has already replaced this generation, nothing is built; nil
  ///     builds in any case.
  ///   - progress: Called now and then.
  /// - Returns: How many events were applied.
  /// - Throws: As ``rebuild(_:)``.
  @discardableResult
  func replace(_ stale: UInt64?, _ progress: @escaping BuildProgress) async throws -> UInt64 {
    let lock = try await takeBuildLock()
    defer { withExtendedLifetime(lock) {} }
    let served = try log.projectionGeneration()
    if let stale, stale != served { return 0 }
    let (next, isOver) = served.addingReportingOverflow(1)
    guard !isOver else {
      throw ProjectionError(code: .io, message: "projection generation \(served) is the last")
    }
    let file = files.file(of: next)
    let events = try await build(file, generation: next, .everything, progress)
    do {
      try ProjectionFiles.keepPermissions(of: files.file(of: served), in: file)
      try ProjectionFiles.synchronize(file)
      guard try await log.moveProjectionGeneration(from: served, to: next) else {
        throw ProjectionError(
          code: .busy, message: "another process moved the generation while this one was building")
      }
    } catch {
      try ProjectionFiles.remove(file)
      throw error
    }
    do {
      try files.removeAll(except: next)
    } catch {
      // The new generation serves; whoever opens the store next removes the rest.
      logger.notice("an older projection file stays: \(error)")
    }
    return events
  }

  /// Makes a file; where that fails, or the task is cancelled, nothing is left of it.
  func build(
    _ file: URL, generation: UInt64, _ scope: ProjectionBuild.Scope,
    _ progress: @escaping BuildProgress
  ) async throws -> UInt64 {
    do {
      return try await CancellationFlag.observing { flag in
        let database = try ProjectionDatabase.create(
          file, generation: generation, store: log.storeID)
        let build = ProjectionBuild(
          log: log, scope: scope, progress: progress, cancellation: flag)
        let outcome = await Result { try await database.perform { try build.run($0) } }
        database.close()
        return try outcome.get()
      }
    } catch {
      try ProjectionFiles.remove(file)
      throw error
    }
  }

  /// Waits for the right to build.
  ///
  /// - Returns: The lock, to be held while building.
  /// - Throws: `readOnly`, `cancelled`, `full`, `io`.
  func takeBuildLock() async throws -> BuildLock {
    guard files.isWritable else {
      throw ProjectionError(
        code: .readOnly, message: "\(files.directory.path) cannot be written")
    }
    return try await BuildLock.wait(files, limit: builderLimit)
  }

  /// Removes what an interrupted build left behind, unless somebody is building just now.
  func removeLeftovers() {
    do {
      let served = try log.projectionGeneration()
      guard try !files.leftovers(besides: served).isEmpty,
        let lock = try BuildLock.take(files.lockFile)
      else { return }
      defer { withExtendedLifetime(lock) {} }
      try files.removeAll(except: log.projectionGeneration())
    } catch {
      // A directory that cannot be written is read as it is.
      logger.debug("leftovers stay: \(error)")
    }
  }
}
