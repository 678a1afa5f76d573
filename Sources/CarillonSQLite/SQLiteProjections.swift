package import CarillonModel
package import Foundation
package import Logging
internal import Synchronization

/// The projections of one store in SQLite: rows that follow from the log, and nothing else.
///
/// The files may be deleted at any time; ``open()`` brings them back. Every query first applies
/// what the log has beyond the checkpoint, so that a caller reads its own writes, and sees rows and
/// checkpoint of one moment. Several handles and processes may use one directory at once.
package final class SQLiteProjections: Sendable {
  let log: any EventLog
  let files: ProjectionFiles
  let logger: Logger
  /// How long another builder may stand still before whoever waits for it gives up.
  let builderLimit: Duration
  /// The open file, replaced when another generation serves.
  let serving = Mutex(Serving.none)

  /// What answers.
  enum Serving {
    /// Nothing is open yet.
    case none
    /// This file answers.
    case open(ProjectionDatabase)
    /// Nothing will be opened any more.
    case closed
  }

  /// The projections of a log in the store's directory; no file is looked at before ``open()``.
  ///
  /// - Parameters:
  ///   - directory: The store's directory; nil holds the projections in memory, as this handle's
  ///     own, and builds them when they are opened.
  ///   - log: The store's log.
  ///   - isReadOnly: Never writes to the directory, as if it could not be written.
  ///   - builderLimit: How long another builder may stand still before whoever waits gives up.
  ///   - logger: Is told of repairs.
  package init(
    at directory: URL?, log: any EventLog, isReadOnly: Bool = false,
    builderLimit: Duration = .seconds(60), logger: Logger = Logger(label: "carillon")
  ) {
    self.log = log
    self.builderLimit = builderLimit
    files = ProjectionFiles(directory: directory, isReadOnly: isReadOnly)
    self.logger = logger
  }

  /// Opens the file that serves, unless it is open.
  ///
  /// Builds it where it is missing, damaged, of another version or of another log, and removes
  /// what an interrupted build left behind. Where the directory cannot be written, the file is read
  /// as it is while it is up to date, and else the projections are held in memory; so they are
  /// while the disk is full. Synchronous reads require that it was called.
  ///
  /// - Returns: Whether it opened anything.
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(1); O(events) where the file must be built.
  @discardableResult
  package func open() async throws -> Bool {
    guard case .none = serving.withLock({ $0 }) else { return false }
    do {
      _ = try current()
    } catch let error as ProjectionError where canRepair(error) {
      try await repair(error)
    }
    if files.isWritable { removeLeftovers() }
    return true
  }

  /// Whether a file answers, or what stands in for it in memory.
  var isOpen: Bool {
    if case .open = serving.withLock({ $0 }) { true } else { false }
  }

  /// The projections of a log, opened; parameters and errors as of `init` and ``open()``.
  package static func open(
    at directory: URL, log: any EventLog, isReadOnly: Bool = false,
    logger: Logger = Logger(label: "carillon")
  ) async throws -> SQLiteProjections {
    let projections = SQLiteProjections(
      at: directory, log: log, isReadOnly: isReadOnly, logger: logger)
    try await projections.open()
    return projections
  }

  /// Applies what the log has beyond the checkpoint, and returns up to where all is applied.
  package func catchUp() async throws -> Position {
    try await read { $0.position }
  }

  /// Calls `body` with the newest state, without holding the caller's thread.
  ///
  /// A file that turns out to be damaged is built anew, once. The body must not write to the log.
  package func read<T: Sendable>(
    _ body: @escaping @Sendable (ProjectionReader) throws -> T
  ) async throws -> T {
    try await repairing { database in
      try await database.perform { try self.snapshot(of: database, $0, body) }
    }
  }

  /// Calls `body` with the newest state and waits for it; for the log's writer thread.
  ///
  /// - Throws: Also `damaged`, which only the other calls repair, and before ``open()``.
  package func readSynchronously<T>(_ body: (ProjectionReader) throws -> T) throws -> T {
    let database = try current()
    do {
      return try database.perform { try snapshot(of: database, $0, body) }
    } catch let error as ProjectionError {
      guard try isReplaced(database) else { throw error }
      let next = try current()
      return try next.perform { try snapshot(of: next, $0, body) }
    }
  }

  /// How many rows this handle's connection inserted, changed or deleted since it was opened.
  package func rowChangeCount() throws -> Int64 {
    try current().perform { $0.rowChangeCount }
  }

  /// Waits for what runs, then closes.
  ///
  /// Idempotent; every later call throws `closed`.
  package func close() async {
    let last = serving.withLock { serving in
      defer { serving = .closed }
      return serving
    }
    if case .open(let database) = last { database.close() }
  }

  /// Whether a file in a store's directory has a name of the projections'.
  package static func isFile(_ name: String) -> Bool {
    name.hasPrefix(ProjectionFiles.prefix)
  }

  /// Removes all files of the projections that nobody uses; what cannot be removed does no harm.
  package static func removeFiles(in directory: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where isFile(name) { unlink(directory.appending(path: name).path) }
  }

  // MARK: - The file that serves

  /// The database of the generation that the log names; opened, or replaced, where need be.
  func current() throws -> ProjectionDatabase {
    while true {
      let generation = try log.projectionGeneration()
      do {
        return try serving.withLock { try open(generation, in: &$0) }
      } catch {
        // Another process may have built the next generation and removed this one meanwhile.
        if try log.projectionGeneration() == generation { throw error }
      }
    }
  }

  private func open(_ generation: UInt64, in serving: inout Serving) throws -> ProjectionDatabase {
    switch serving {
    case .open(let database) where database.generation == generation && !canWriteAgain(database):
      return database
    case .closed:
      throw ProjectionError(code: .closed, message: "the projections were closed")
    case .none, .open:
      guard generation > 0 else {
        throw ProjectionError(code: .damaged, message: "the projections were never built")
      }
      // The one before is closed when its last query ends.
      let file = files.file(of: generation)
      let database = try ProjectionDatabase.open(
        file, generation: generation, log: log, for: files.accessToServe(file))
      serving = .open(database)
      return database
    }
  }

  /// Whether what only this handle sees can be given up: the disk was full, or could not be
  /// written, and that is over.
  private func canWriteAgain(_ database: ProjectionDatabase) -> Bool {
    database.access != .serve && files.isWritable && files.hasRoom
  }

  // MARK: - Snapshots

  /// Catches up, then calls `body` in a transaction that sees one moment.
  func snapshot<T>(
    of database: ProjectionDatabase, _ connection: Connection,
    _ body: (ProjectionReader) throws -> T
  ) throws -> T {
    let end = try log.lastPosition()
    if let value = try snapshot(of: database, connection, at: end, body) { return value }
    try CatchUp(log: log).run(connection, through: end)
    guard let value = try snapshot(of: database, connection, at: end, body) else {
      throw ProjectionError(
        code: .damaged, message: "the projections went back behind \(end.rawValue)")
    }
    return value
  }

  /// Calls `body` where the checkpoint is at a position or beyond; otherwise gives nil.
  private func snapshot<T>(
    of database: ProjectionDatabase, _ connection: Connection, at end: Position,
    _ body: (ProjectionReader) throws -> T
  ) throws -> T? {
    try connection.transaction(.deferred) {
      let checkpoint = try Checkpoint(connection)
      guard checkpoint.position >= end else { return nil }
      return try body(
        ProjectionReader(
          connection: connection, checkpoint: checkpoint, log: log,
          isWritable: database.access.isWritable))
    }
  }
}
