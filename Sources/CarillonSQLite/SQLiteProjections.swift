package import CarillonModel
package import Foundation
package import Logging
internal import Synchronization

/// The projections of one store in SQLite: rows that are derived from the log and contain nothing
/// else.
///
/// The files may be deleted at any time; ``open()`` builds them again. Every query first applies
/// the log's events after the checkpoint, so a caller reads its own writes, and it sees the rows
/// and the checkpoint of one moment. Several handles and processes may use one directory at the
/// same time.
package final class SQLiteProjections: Sendable {
  let log: any EventLog
  /// The log with payloads as it keeps them, to which IDs commit.
  let kept: any EventReader
  let files: ProjectionFiles
  let logger: Logger
  /// The time without progress of another process's build after which a waiting process gives up.
  let builderLimit: Duration
  /// A file that may already be open.
  private let opened: OpenedProjections?
  /// The open file.
  ///
  /// It is replaced when another generation comes into use.
  let serving = Mutex(Serving.none)

  /// The source of answers to queries.
  enum Serving {
    /// No file is open yet.
    case none
    /// This file answers queries.
    case open(ProjectionDatabase)
    /// The handle was closed and opens no more files.
    case closed
  }

  /// Creates a handle on a log's projections in the store's directory.
  ///
  /// No file is accessed before ``open()``.
  ///
  /// - Parameters:
  ///   - directory: The store's directory. With nil, the projections are in memory, belong to this
  ///     handle only, and are built when they are opened.
  ///   - log: The store's log.
  ///   - kept: The log whose payloads `log` shows in another form; nil if it shows them unchanged.
  ///   - isReadOnly: Whether never to write to the directory, as if it were not writable.
  ///   - builderLimit: The time without progress of another process's build after which this one
  ///     gives up waiting.
  ///   - opened: A projection file that is already open. It is used if it is the one in use.
  ///   - logger: Receives notices of repairs.
  package init(
    at directory: URL?, log: any EventLog, kept: (any EventReader)? = nil,
    isReadOnly: Bool = false, builderLimit: Duration = .seconds(60),
    opened: OpenedProjections? = nil, logger: Logger = Logger(label: "carillon")
  ) {
    self.log = log
    self.kept = kept ?? log
    self.builderLimit = builderLimit
    self.opened = opened
    files = ProjectionFiles(directory: directory, isReadOnly: isReadOnly)
    self.logger = logger
  }

  /// Opens the projection file in use, unless it is open.
  ///
  /// Builds the file if it is missing, damaged, of another version or of another log, and removes
  /// the files of an interrupted build. If the directory is not writable, a file that is up to date
  /// is read; otherwise the projections are in memory. They are also in memory while the disk is
  /// full. Synchronous reads require an earlier call of this method.
  ///
  /// - Returns: Whether it opened anything.
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(1), or O(events) if the file must be built.
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

  /// Whether a file, or its replacement in memory, is open.
  var isOpen: Bool {
    if case .open = serving.withLock({ $0 }) { true } else { false }
  }

  /// Opens the projections of a log.
  ///
  /// Parameters and errors are those of `init` and ``open()``.
  package static func open(
    at directory: URL, log: any EventLog, isReadOnly: Bool = false,
    logger: Logger = Logger(label: "carillon")
  ) async throws -> SQLiteProjections {
    let projections = SQLiteProjections(
      at: directory, log: log, isReadOnly: isReadOnly, logger: logger)
    try await projections.open()
    return projections
  }

  /// Applies the log's events after the checkpoint, and returns the position up to which all are
  /// applied.
  package func catchUp() async throws -> LogPosition {
    try await read { $0.position }
  }

  /// Returns the position up to which all events are applied, without applying more.
  package func appliedPosition() async throws -> LogPosition {
    try await repairing { database in
      try await database.perform { try Checkpoint($0).position }
    }
  }

  /// Calls `body` with the newest state, without blocking the caller's thread.
  ///
  /// A damaged file is built again, once. The body must not write to the log.
  package func read<T: Sendable>(
    _ body: @escaping @Sendable (ProjectionReader) throws -> T
  ) async throws -> T {
    try await repairing { database in
      try await database.perform { connection in
        let toKeep = HabitsToKeep()
        let value = try self.snapshot(of: database, connection) { reader in
          var reader = reader
          if reader.isWritable { reader.habitsToKeep = toKeep }
          return try body(reader)
        }
        try self.keepDays(of: toKeep.habits, connection)
        return value
      }
    }
  }

  /// Calls `body` with the newest state and waits for it.
  ///
  /// Meant for the log's writer thread.
  ///
  /// - Throws: `ProjectionError`; also `damaged`, which only the other calls repair, and before
  ///   ``open()``.
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

  /// The number of rows that this handle's connection inserted, changed or deleted since it was
  /// opened.
  package func rowChangeCount() throws -> Int64 {
    try current().perform { $0.rowChangeCount }
  }

  /// Waits for calls in progress, then closes the projections.
  ///
  /// Idempotent. Every later call throws `closed`.
  package func close() async {
    let last = serving.withLock { serving in
      defer { serving = .closed }
      return serving
    }
    if case .open(let database) = last { database.close() }
    opened?.close()
  }

  /// Whether a file in a store's directory has the name of a projection file.
  package static func isFile(_ name: String) -> Bool {
    name.hasPrefix(ProjectionFiles.prefix)
  }

  /// Removes all files of projections that no process uses.
  ///
  /// A file that cannot be removed does no harm.
  package static func removeFiles(in directory: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where isFile(name) { unlink(directory.appending(path: name).path) }
  }

  // MARK: - The file in use

  /// Returns the database of the generation that the log names, opening or replacing it if
  /// necessary.
  func current() throws -> ProjectionDatabase {
    while true {
      let generation = try log.projectionGeneration()
      do {
        return try serving.withLock { try open(generation, in: &$0) }
      } catch {
        // Another process may have built the next generation and removed this one in the meantime.
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
      // The previous database is closed when its last query ends.
      let file = files.file(of: generation)
      let database = try ProjectionDatabase.open(
        file, generation: generation, log: log, for: files.accessToServe(file), opened: opened)
      serving = .open(database)
      return database
    }
  }

  /// Whether projections that only this handle uses can be replaced by a file again, after the disk
  /// was full or not writable.
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
        code: .damaged,
        message: "the projection checkpoint moved backwards past position \(end.rawValue)")
    }
    return value
  }

  /// Calls `body` if the checkpoint is at a position or after it; otherwise returns nil.
  private func snapshot<T>(
    of database: ProjectionDatabase, _ connection: Connection, at end: LogPosition,
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
