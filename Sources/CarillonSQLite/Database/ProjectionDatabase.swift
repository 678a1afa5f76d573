internal import CarillonModel
internal import CarillonThreads
internal import Foundation

/// An open projection file, with the queue on which its connection is used.
///
/// Sendable: the connection is used on the queue only; the queue is serial, so its uses never
/// overlap; and `deinit` closes the connection only when nothing else can refer to it.
final class ProjectionDatabase: @unchecked Sendable {
  let generation: UInt64
  let access: Connection.Access
  private let queue = SerialQueue()
  /// Nil after the file was closed.
  private var connection: Connection?

  private init(generation: UInt64, access: Connection.Access, connection: Connection) {
    self.generation = generation
    self.access = access
    self.connection = connection
  }

  deinit {
    connection?.close()
  }

  /// Opens an existing file, and checks that it belongs to this build and to the log.
  ///
  /// - Parameter opened: A file that may already be open to be served.
  /// - Throws: `damaged` if the file is missing or has the wrong contents.
  static func open(
    _ file: URL, generation: UInt64, log: any EventReader, for access: Connection.Access,
    opened: OpenedProjections? = nil
  ) throws -> ProjectionDatabase {
    try ProjectionFiles.requireRegular(file, isWritten: access == .serve)
    let taken = access == .serve ? opened?.take(for: file) : nil
    taken?.waitForOthers()
    let database = ProjectionDatabase(
      generation: generation, access: access,
      connection: try taken ?? Connection(opening: file, for: access))
    try database.perform { connection in
      // A long catch-up accesses keys all over the file. The cache grows only as pages are read.
      try connection.execute(script: "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
      if access == .serve { try connection.execute(script: "PRAGMA synchronous = NORMAL") }
      try examine(connection, log: log, file: file)
    }
    return database
  }

  /// Creates a new file with empty tables, on a connection for bulk work.
  ///
  /// Writes are not durable before ``ProjectionFiles/synchronize(_:)``, and a crash leaves the file
  /// broken.
  static func create(
    _ file: URL, generation: UInt64, store: StoreID
  ) throws -> ProjectionDatabase {
    try ProjectionFiles.makeEmpty(file)
    let database = ProjectionDatabase(
      generation: generation, access: .build,
      connection: try Connection(opening: file, for: .build))
    try database.perform { connection in
      try connection.reserveChecksums()
      try connection.execute(
        script: """
          PRAGMA journal_mode = OFF;
          PRAGMA synchronous = OFF;
          PRAGMA temp_store = MEMORY;
          PRAGMA cache_size = -32768;
          """)
      try fill(connection, store: store)
    }
    return database
  }

  /// Creates empty tables in memory.
  static func inMemory(generation: UInt64, store: StoreID) throws -> ProjectionDatabase {
    let database = try emptyInMemory(generation: generation)
    try database.perform { try fill($0, store: store) }
    return database
  }

  /// Copies all rows into memory.
  func copiedToMemory() throws -> ProjectionDatabase {
    let copy = try Self.emptyInMemory(generation: generation)
    try perform { connection in try copy.perform { try connection.copy(into: $0) } }
    return copy
  }

  private static func emptyInMemory(generation: UInt64) throws -> ProjectionDatabase {
    ProjectionDatabase(
      generation: generation, access: .memory, connection: try Connection.inMemory())
  }

  /// Runs a body on the connection's queue and waits for it.
  func perform<T>(_ body: (Connection) throws -> T) throws -> T {
    try queue.sync { try body(opened()) }
  }

  /// Runs a body on the connection's queue without blocking the caller's thread.
  func perform<T: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> T
  ) async throws -> T {
    try await queue.perform { try body(self.opened()) }
  }

  /// Waits for calls in progress, then closes the file.
  ///
  /// Every later call throws `closed`.
  func close() {
    queue.sync {
      connection?.close()
      connection = nil
    }
  }

  private func opened() throws -> Connection {
    guard let connection else {
      throw ProjectionError(code: .closed, message: "the projections were closed")
    }
    return connection
  }

  /// Opens an existing file, checks that it belongs to this build and to the log, and runs a body
  /// in a snapshot of it.
  ///
  /// Everything runs on the caller's thread.
  ///
  /// - Returns: The body's value, and the file, which is closed when it is released.
  /// - Throws: `damaged` if the file has the wrong contents; `readOnly`, `busy`, `io`.
  static func readOnce<T>(
    at file: URL, log: any EventReader, _ body: (Connection) throws -> T
  ) throws -> (T, OpenedProjections) {
    try ProjectionFiles.requireRegular(file, isWritten: true)
    let connection = try Connection(opening: file, for: .serve)
    let opened = OpenedProjections(connection, to: file)
    // On `busy`, the caller opens the projections in the usual way, which waits.
    connection.waitForNobody()
    let value = try connection.transaction(.deferred) {
      try examine(connection, log: log, file: file)
      return try body(connection)
    }
    return (value, opened)
  }

  // MARK: - Opening

  /// "CARI", in the file's header.
  private static let applicationID: Int64 = 0x4341_5249

  private static func fill(_ connection: Connection, store: StoreID) throws {
    try connection.execute(script: "PRAGMA application_id = \(applicationID)")
    try connection.execute(script: "PRAGMA user_version = \(Table.version)")
    for table in Table.all { try connection.execute(script: table.creation) }
    try Checkpoint(store: store).insert(connection)
  }

  /// Checks the header, the names of the tables and the checkpoint.
  ///
  /// Reads no projected rows.
  private static func examine(_ connection: Connection, log: any EventReader, file: URL) throws {
    guard try connection.integer("PRAGMA application_id") == applicationID,
      try connection.integer("PRAGMA user_version") == Int64(Table.version),
      try tableNames(connection) == expectedTableNames
    else { throw ProjectionError(code: .damaged, message: "\(file.path) is not a projection file") }
    let checkpoint = try Checkpoint(connection)
    guard checkpoint.store == log.storeID, try checkpoint.isOf(log) else {
      throw ProjectionError(code: .damaged, message: "\(file.path) belongs to another log")
    }
  }

  private static let expectedTableNames = Table.all.map(\.name).sorted()

  private static func tableNames(_ connection: Connection) throws -> [String] {
    let rows = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    var names: [String] = []
    while try rows.step() { names.append(try rows.text(0)) }
    return names
  }
}
