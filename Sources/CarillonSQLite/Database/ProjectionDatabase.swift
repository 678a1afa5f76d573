internal import CarillonMigrations
internal import CarillonModel
internal import Foundation
internal import GRDB

/// One projection file, open, with the queue on which its connection is used.
final class ProjectionDatabase: Sendable {
  let generation: UInt64
  /// False where nothing can be written; then a query sees what is there.
  let isWritable: Bool
  private let queue: DatabaseQueue

  private init(generation: UInt64, isWritable: Bool, queue: DatabaseQueue) {
    self.generation = generation
    self.isWritable = isWritable
    self.queue = queue
  }

  /// Opens a file that is there, and looks whether it is whole and of the log.
  ///
  /// - Throws: `damaged` where it is missing or is not what it should be.
  static func open(
    _ file: URL, generation: UInt64, log: any EventLog, isWritable: Bool
  ) throws -> ProjectionDatabase {
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ProjectionError(code: .damaged, message: "\(file.path) is missing")
    }
    let database = try ProjectionError.translating {
      ProjectionDatabase(
        generation: generation, isWritable: isWritable,
        queue: try DatabaseQueue(
          path: file.path, configuration: servingConfiguration(isWritable: isWritable)))
    }
    try database.perform { try examine($0, log: log, file: file) }
    return database
  }

  /// Makes a new file with empty tables, on a connection for bulk work: what is written is not
  /// durable before ``ProjectionFiles/synchronize(_:)``, and a crash leaves it broken.
  static func create(
    _ file: URL, generation: UInt64, store: StoreID
  ) throws -> ProjectionDatabase {
    try ProjectionFiles.remove(file)
    return try ProjectionError.translating {
      let queue = try DatabaseQueue(path: file.path, configuration: bulkConfiguration)
      return try filled(generation: generation, queue: queue, store: store)
    }
  }

  /// Makes empty tables in memory.
  static func inMemory(generation: UInt64, store: StoreID) throws -> ProjectionDatabase {
    try ProjectionError.translating {
      try filled(generation: generation, queue: DatabaseQueue(), store: store)
    }
  }

  /// Runs a body on the connection's queue and waits for it.
  func perform<T>(_ body: (Connection) throws -> T) throws -> T {
    try ProjectionError.translating {
      try queue.inDatabase { try body(Self.connection($0)) }
    }
  }

  /// Runs a body on the connection's queue, without holding a thread of the caller's.
  func perform<T: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.asyncWriteWithoutTransaction { database in
        continuation.resume(
          with: Result {
            try ProjectionError.translating { try body(Self.connection(database)) }
          })
      }
    }
  }

  /// Waits for what runs, then closes; every later call throws `closed`.
  func close() throws {
    try ProjectionError.translating { try queue.close() }
  }

  /// Opens a file that is there, looks whether it is whole and of the log, runs a body in a
  /// snapshot of it and closes it again: all on the caller's thread, and ready for nothing else.
  ///
  /// - Throws: `damaged` where the file is not what it should be, `readOnly`, `busy`, `io`.
  static func glance<T>(
    at file: URL, log: any EventLog, _ body: (Connection) throws -> T
  ) throws -> T {
    let connection = try Connection(opening: file.path)
    defer { connection.close() }
    return try connection.transaction(.deferred) {
      try examine(connection, log: log, file: file)
      return try body(connection)
    }
  }

  // MARK: - Opening

  /// "CARI", in the file's header.
  private static let applicationID: Int64 = 0x4341_5249

  private static func servingConfiguration(isWritable: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = !isWritable
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(10)
    // A comparison holds one moment over several calls.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { database in
      let connection = try Self.connection(database)
      connection.removeAuthorizer()
      // A long catch-up touches keys all over; memory is taken only as pages are read.
      try connection.execute("PRAGMA cache_size = -16384")
      if isWritable { try connection.execute("PRAGMA synchronous = NORMAL") }
    }
    return configuration
  }

  private static var bulkConfiguration: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      let connection = try Self.connection(database)
      connection.removeAuthorizer()
      try connection.execute(
        """
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -32768;
        """)
    }
    return configuration
  }

  private static func filled(
    generation: UInt64, queue: DatabaseQueue, store: StoreID
  ) throws -> ProjectionDatabase {
    let database = ProjectionDatabase(generation: generation, isWritable: true, queue: queue)
    try database.perform { connection in
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute("PRAGMA user_version = \(Migrations.version)")
      for migration in Migrations.projections { try connection.execute(migration.sql) }
      try Checkpoint(store: store).insert(connection)
    }
    return database
  }

  /// Looks at the header, the tables' names and the checkpoint; reads no projected row.
  private static func examine(_ connection: Connection, log: any EventLog, file: URL) throws {
    guard try connection.integer("PRAGMA application_id") == applicationID,
      try connection.integer("PRAGMA user_version") == Int64(Migrations.version),
      try tableNames(connection) == expectedTableNames
    else { throw ProjectionError(code: .damaged, message: "\(file.path) is no projection file") }
    let checkpoint = try Checkpoint(connection)
    guard checkpoint.store == log.storeID, try checkpoint.isOf(log) else {
      throw ProjectionError(code: .damaged, message: "\(file.path) is of another log")
    }
  }

  private static let expectedTableNames =
    (ProjectedTable.all.map(\.name) + ProjectedTable.deviceLocal).sorted()

  private static func tableNames(_ connection: Connection) throws -> [String] {
    let rows = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    var names: [String] = []
    while try rows.step() { names.append(try rows.text(0)) }
    return names
  }

  private static func connection(_ database: Database) throws -> Connection {
    guard let handle = database.sqliteConnection else {
      throw ProjectionError(code: .closed, message: "the projections were closed")
    }
    return Connection(handle)
  }
}
