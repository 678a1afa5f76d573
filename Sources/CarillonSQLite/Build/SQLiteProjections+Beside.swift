package import CarillonModel
internal import Foundation

extension SQLiteProjections {
  /// Calls `body` with the state of an earlier moment: of the events whose timestamp's millisecond
  /// is at or before it.
  ///
  /// What is served stays.
  ///
  /// - Throws: `cancelled`, `full`, `readOnly`, `io`.
  /// - Complexity: O(events): a file is built beside, and removed.
  package func read<T: Sendable>(
    asOf moment: Instant, _ progress: @escaping BuildProgress = { _, _ in },
    _ body: @escaping @Sendable (ProjectionReader) throws -> T
  ) async throws -> T {
    let lock = try await takeBuildLock()
    defer { withExtendedLifetime(lock) {} }
    return try await withFileBeside(.until(moment), progress) { database, _ in
      try await database.perform { connection in
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
  package func state(asOf moment: Instant, span: ClosedRange<CivilDate>?) async throws -> State {
    try await read(asOf: moment) { try $0.state(span: span) }
  }

  /// The digest of the state at an earlier moment, and of how many events it is.
  package func digest(
    until moment: Instant, _ progress: @escaping BuildProgress = { _, _ in }
  ) async throws -> (events: UInt64, digest: StateDigest) {
    let lock = try await takeBuildLock()
    defer { withExtendedLifetime(lock) {} }
    return try await withFileBeside(.until(moment), progress) { database, events in
      let digest = try await database.perform { connection in
        try ProjectionReader(
          connection: connection, checkpoint: Checkpoint(connection), log: self.log,
          isWritable: false
        ).computedDigest()
      }
      return (events, digest)
    }
  }

  /// Builds the projections beside those that serve and compares all rows; changes nothing.
  ///
  /// A difference is looked at again where events came meanwhile: an erasure among them may have
  /// taken payloads out of the log which the rows of before it still stood for.
  ///
  /// - Returns: The first row that differs, in the order of tables and keys; nil where none does.
  /// - Throws: As ``rebuild(_:)``.
  /// - Complexity: O(events).
  package func check(
    _ progress: @escaping BuildProgress = { _, _ in }
  ) async throws -> RowDifference? {
    var checkCount = 0
    while true {
      checkCount += 1
      let (difference, position) = try await checkOnce(progress)
      guard difference != nil, checkCount < Self.maxChecks, try log.lastPosition() > position
      else { return difference }
    }
  }

  /// Somebody who writes all the time must not keep a check from its end.
  private static var maxChecks: Int { 5 }

  /// Compares the rows of one moment; tells of which.
  private func checkOnce(
    _ progress: @escaping BuildProgress
  ) async throws -> (difference: RowDifference?, position: Position) {
    // Before the lock: a file that turns out to be damaged is built anew, which needs the lock.
    if files.isWritable { _ = try await catchUp() }
    let lock = try await takeBuildLock()
    defer { withExtendedLifetime(lock) {} }
    // A connection of its own holds the rows of one moment, while others go on; the generation
    // stays, since whoever would move it needs the lock.
    let generation = try log.projectionGeneration()
    let served = try ProjectionDatabase.open(
      files.file(of: generation), generation: generation, log: log, isWritable: false)
    try await served.perform { try $0.execute("BEGIN") }
    let position = try await served.perform { try Checkpoint($0).position }
    let difference = try await withFileBeside(.through(position), progress) { fresh, _ in
      try await served.perform { served in
        defer { withExtendedLifetime(served) {} }
        return try fresh.perform { try RowComparison(served: served, fresh: $0).firstDifference() }
      }
    }
    return (difference, position)
  }

  /// Builds a file that never serves, opens it for `body`, and removes it.
  ///
  /// The caller holds the build lock.
  private func withFileBeside<T>(
    _ scope: ProjectionBuild.Scope, _ progress: @escaping BuildProgress,
    _ body: (ProjectionDatabase, _ events: UInt64) async throws -> T
  ) async throws -> T {
    let file = files.besideFile
    let events = try await build(file, generation: 0, scope, progress)
    let outcome = await Result {
      let database = try ProjectionDatabase.open(
        file, generation: 0, log: log, isWritable: false)
      let outcome = await Result { try await body(database, events) }
      try database.close()
      return try outcome.get()
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
