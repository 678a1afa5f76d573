#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import GRDB

/// The people of a hub in files, with their devices and invitations: one SQLite file.
struct PeopleFile: Sendable {
  private let queue: DatabaseQueue
  /// The file, and the directory of the logs.
  private let place: FilesInPlace

  /// Opens the file, which only its owner can read, and creates it if it is missing.
  ///
  /// Its tables change only while no other process uses the hub. So no process continues by the
  /// rules of an older version: a change of the rules for writes is a migration, too, also if the
  /// tables stay as they are.
  ///
  /// - Parameter logs: The directory of the logs, which is beside the file.
  init(at path: String, logs: String, _ use: FileUse) throws {
    try Self.create(path)
    do {
      queue = try Self.open(path, use)
      place = try FilesInPlace(
        directory: MadeDirectories.parent(of: path),
        names: [path, logs].map { URL(filePath: $0).lastPathComponent })
    } catch {
      throw Self.translate(error)
    }
  }

  private static func create(_ path: String) throws(LogError) {
    do {
      try NewFile(at: path).finish()
    } catch {
      guard error.code == .alreadyExists else { throw error }
    }
  }

  private static func open(_ path: String, _ use: FileUse) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let isMigrated = { try queue.read(migrator.hasCompletedMigrations) }
    if try !isMigrated() { try use.alone(unless: isMigrated) { try migrator.migrate(queue) } }
    guard try !queue.read(migrator.hasBeenSuperseded) else {
      throw LogError(
        code: .unsupportedFormat, message: "\(path) was changed by a newer version")
    }
    if use.use == .shared, let obstacle = try queue.read(state).obstacle {
      throw LogError.refused(by: obstacle)
    }
    return queue
  }

  /// Returns whether hubs may use the database.
  static func state(in database: Database) throws -> HubState {
    guard let row = try Row.fetchOne(database, sql: "SELECT state, source FROM hub") else {
      throw LogError(code: .corrupt, message: "the table hub has no row")
    }
    let (name, source): (String, Data?) = (row["state"], row["source"])
    guard let state = HubState(name, source: source.map { [UInt8]($0) }) else {
      throw LogError(code: .corrupt, message: "the state of the table hub is \(name)")
    }
    return state
  }

  /// Returns the ID of the hub.
  func id() throws -> HubID {
    do {
      let id = try queue.read { try Data.fetchOne($0, sql: "SELECT id FROM hub") }
      return HubID([UInt8](id ?? Data()))
    } catch {
      throw Self.translate(error)
    }
  }

  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try checkFiles()
    do { return try await queue.read(body) } catch { throw Self.translate(error) }
  }

  func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try checkFiles()
    do {
      return try await queue.writeWithoutTransaction { database in
        var result: Result?
        try database.inTransaction(.immediate) {
          result = try body(database)
          return .commit
        }
        guard let result else {
          throw LogError(code: .io, message: "the transaction has no result")
        }
        return result
      }
    } catch {
      throw Self.translate(error)
    }
  }

  /// Checks that other processes still find the file and the logs that this process has open.
  private func checkFiles() throws {
    do {
      try place.check()
    } catch {
      guard case .replacedFiles? = error.reason else { throw error }
      throw LogError.refused(by: .replacedFiles, error.message)
    }
  }

  func close() { try? queue.close() }

  private static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("people") { database in
      // isErasing: the files of the log are being removed, and nobody may use them.
      // since, expires: milliseconds since 1970. erased: the SHA-256 of the IDs.
      try database.execute(
        sql: """
          CREATE TABLE person (
            store BLOB PRIMARY KEY, byteQuota INTEGER NOT NULL, deviceQuota INTEGER NOT NULL,
            isErasing INTEGER NOT NULL DEFAULT 0
          ) WITHOUT ROWID;
          CREATE TABLE access (
            digest BLOB PRIMARY KEY, store BLOB NOT NULL REFERENCES person ON DELETE CASCADE,
            kind TEXT NOT NULL, role TEXT NOT NULL, name TEXT, since INTEGER NOT NULL,
            expires INTEGER, keys TEXT
          ) WITHOUT ROWID;
          CREATE INDEX accessStore ON access (store);
          CREATE TABLE erased (digest BLOB PRIMARY KEY) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("state") { database in
      // One row. state: serving, filling (a migration of all people to this hub has not ended), or
      // moved (all people are in another hub).
      try database.execute(
        sql: "CREATE TABLE hub (state TEXT NOT NULL); INSERT INTO hub VALUES ('serving');")
    }
    migrator.registerMigration("source") { database in
      // id: random, of the hub. source: while the state is filling, the ID of the hub whose people
      // are copied; NULL if an earlier version began the migration.
      try database.execute(
        sql: """
          ALTER TABLE hub ADD COLUMN id BLOB NOT NULL DEFAULT x'';
          ALTER TABLE hub ADD COLUMN source BLOB;
          UPDATE hub SET id = randomblob(32);
          """)
    }
    return migrator
  }()

  /// Returns the port's error for an error of SQLite.
  private static func translate(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    // Without the statement: devices may get the text.
    let problem = "SQLite error \(error.resultCode.rawValue): \(error.message ?? "no reason given")"
    switch error.extendedResultCode {
    // No quota limits this file.
    case .SQLITE_FULL: return LogError.refused(by: .fullDisk, problem)
    case .SQLITE_READONLY_DBMOVED: return LogError.refused(by: .replacedFiles, problem)
    default: break
    }
    let code: LogError.Code =
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
      default: .io
      }
    return LogError(
      code: code, message: "cannot use the file of the people: \(problem)", cause: error)
  }
}

extension Data {
  init(_ person: StoreID) { self.init(person.bytes) }
}
#endif
