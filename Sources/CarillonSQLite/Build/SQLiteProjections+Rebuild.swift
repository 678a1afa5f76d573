internal import CarillonModel
internal import Foundation
internal import Logging

extension SQLiteProjections {
  /// Builds new projections while the current ones stay in use, then switches to the new ones.
  ///
  /// Other handles and processes continue with the old file and use the new one from their next
  /// query on. If the task is cancelled or an error occurs, nothing changes.
  ///
  /// - Returns: The number of applied events.
  /// - Throws: `cancelled`, `full`, `readOnly`, `io`.
  /// - Complexity: O(events). Memory use is constant.
  package func rebuild(_ progress: @escaping BuildProgress = { _, _ in }) async throws -> UInt64 {
    guard !files.isInMemory else {
      return try await serveFromMemory(try log.projectionGeneration(), progress)
    }
    return try await replace(nil, progress)
  }

  /// Builds the next generation and switches to it.
  ///
  /// - Parameters:
  ///   - stale: The generation to replace; if another process has already replaced it, nothing is
  ///     built. With nil, the next generation is built in any case.
  ///   - progress: Called from time to time.
  /// - Returns: The number of applied events.
  /// - Throws: The errors of ``rebuild(_:)``.
  @discardableResult
  func replace(_ stale: UInt64?, _ progress: @escaping BuildProgress) async throws -> UInt64 {
    let lock = try await takeBuildLock()
    defer { withExtendedLifetime(lock) {} }
    let served = try log.projectionGeneration()
    if let stale, stale != served { return 0 }
    let (next, isOver) = served.addingReportingOverflow(1)
    guard !isOver else {
      throw ProjectionError(
        code: .io, message: "projection generation \(served) is the greatest possible")
    }
    let file = files.file(of: next)
    let events = try await build(file, generation: next, .everything, progress)
    do {
      try ProjectionFiles.keepPermissions(of: files.file(of: served), in: file)
      try ProjectionFiles.synchronize(file)
      guard try await log.moveProjectionGeneration(from: served, to: next) else {
        throw ProjectionError(
          code: .busy, message: "another process changed the generation during the build")
      }
    } catch {
      try ProjectionFiles.remove(file)
      throw error
    }
    do {
      try files.removeAll(except: next)
    } catch {
      // The new generation is in use. The next process to open the store removes the rest.
      logger.notice("an older projection file could not be removed: \(error)")
    }
    return events
  }

  /// Builds a file, and removes it if that fails or the task is cancelled.
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
  /// - Returns: The lock, which must be held during the build.
  /// - Throws: `readOnly`, `cancelled`, `full`, `io`.
  func takeBuildLock() async throws -> BuildLock {
    guard files.isWritable else {
      throw ProjectionError(
        code: .readOnly, message: "\(files.directory.path) is not writable")
    }
    return try await BuildLock.wait(files, limit: builderLimit)
  }

  /// Removes the files of an interrupted build, unless a build is in progress.
  func removeLeftovers() {
    do {
      let served = try log.projectionGeneration()
      guard try !files.leftovers(besides: served).isEmpty,
        let lock = try BuildLock.take(files.lockFile)
      else { return }
      defer { withExtendedLifetime(lock) {} }
      try files.removeAll(except: log.projectionGeneration())
    } catch {
      // A directory that cannot be written is used unchanged.
      logger.debug("files of an interrupted build could not be removed: \(error)")
    }
  }
}
