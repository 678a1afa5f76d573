import CarillonModel
import CarillonSQLite
import Foundation
import GRDBSQLite

/// A backup of Loop Habit Tracker: a SQLite database, which is only read.
///
/// It is opened as a file that nothing changes, so no file is written, and it is checked completely
/// before its first row is returned. Not `Sendable`: one task reads it from start to end.
final class LoopDatabase {
  /// The name of the file, for messages.
  let name: String
  /// Loop's version number of the schema.
  let version: Int64
  let connection: Connection
  private let handle: OpaquePointer
  private let deadline: ReadingDeadline

  /// The schema versions that Loop shipped.
  ///
  /// Later versions added columns, and no column changed its meaning.
  private static let knownVersions: ClosedRange<Int64> = 9...25
  /// The limit on the size of a value.
  ///
  /// Every habit's texts are far smaller; a longer text is damage and is not read into memory.
  private static let maxValueBytes: Int32 = 1 << 20

  /// Opens a backup and checks it.
  ///
  /// - Throws: `invalidValue` if it is not a database of Loop, is damaged, or is being written;
  ///   `unsupportedFormat` if its version is later than every known one; `io`.
  /// - Complexity: O(bytes).
  init(opening file: URL, deadline: ReadingDeadline = ReadingDeadline()) throws {
    self.deadline = deadline
    name = file.lastPathComponent
    try Self.requireRest(file)
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(
      file.absoluteString + "?immutable=1", &opened,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else {
      throw ProjectionError(code: .io, message: "\(name) cannot be opened: out of memory")
    }
    handle = opened
    connection = Connection(opened)
    do {
      guard result == SQLITE_OK else { throw ProjectionError(connection: opened) }
      sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Self.maxValueBytes)
      deadline.watch(opened)
      version = try Self.examine(connection, name: name)
    } catch {
      sqlite3_close_v2(opened)
      throw deadline.isOver
        ? deadline.reason(name: name) : Self.translated(error, name: name)
    }
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs a body that reads, and makes SQLite's errors refer to the user's file.
  ///
  /// - Throws: `invalidValue` if the body takes longer than ``ReadingDeadline`` allows;
  ///   `CancellationError` if the task was cancelled.
  func reading<T>(_ body: () throws -> T) throws -> T {
    deadline.restart()
    do {
      return try body()
    } catch {
      throw deadline.isOver
        ? deadline.reason(name: name) : Self.translated(error, name: name)
    }
  }

  // MARK: - Checks

  /// Checks that the database has no journal next to it.
  ///
  /// With a journal it is in use or was interrupted, and the file alone does not contain what its
  /// owner sees.
  private static func requireRest(_ file: URL) throws {
    for suffix in ["-wal", "-journal"] {
      let journal = file.path(percentEncoded: false) + suffix
      guard FileManager.default.fileExists(atPath: journal) else { continue }
      let size = try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int
      guard size == 0 else {
        throw refusal(
          "\(file.lastPathComponent) is in use: \(file.lastPathComponent)\(suffix) exists next to "
            + "it")
      }
    }
  }

  private static func examine(_ connection: Connection, name: String) throws -> Int64 {
    // SQL in the schema is not run.
    try connection.execute(
      script: "PRAGMA trusted_schema = OFF; PRAGMA ignore_check_constraints = ON")
    let tables = try connection.integer(
      """
      SELECT count(*) FROM sqlite_schema
      WHERE type = 'table' AND lower(name) IN ('habits', 'repetitions')
      """)
    guard tables == 2 else {
      throw refusal("\(name) is not a backup of Loop: it has no tables Habits and Repetitions")
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= knownVersions.upperBound else {
      throw ProjectionError(
        code: .unsupportedFormat,
        message: "\(name) has Loop's version \(version), but only versions "
          + "\(knownVersions.lowerBound) to \(knownVersions.upperBound) are supported")
    }
    guard knownVersions.contains(version) else {
      throw refusal(
        "\(name) is not a backup of Loop: its version is \(version), but Loop's start at "
          + "\(knownVersions.lowerBound)")
    }
    try requireColumns(connection, name: name)
    for table in ["Habits", "Repetitions"] {
      try requirePlain(table, connection, name: name)
      // Only these are read: another table could name a module that runs code.
      let check = try connection.prepare("PRAGMA integrity_check('\(table)')")
      guard try check.step(), try check.text(0) == "ok" else {
        // SQLite lists its problems below a line with the name of the database.
        let problem = try check.text(0).split(separator: "\n").first { !$0.hasPrefix("***") }
        throw refusal("\(name) is damaged: \(problem ?? "it has wrong pages")")
      }
    }
    return version
  }

  private static func requireColumns(_ connection: Connection, name: String) throws {
    for (table, needed) in [("Habits", LoopHabit.needed), ("Repetitions", LoopRepetition.needed)] {
      let missing = needed.subtracting(try columns(of: table, connection))
      guard missing.isEmpty else {
        throw refusal(
          "\(name) is not a backup of Loop: its table \(table) has no column "
            + missing.sorted().joined(separator: ", "))
      }
    }
  }

  /// Checks that a table computes nothing: neither columns nor indexes have expressions.
  ///
  /// Reading and checking would run them, and no backup of Loop has any.
  private static func requirePlain(
    _ table: String, _ connection: Connection, name: String
  ) throws {
    let computed = try connection.query(
      """
      SELECT 1 FROM pragma_table_list(?1) WHERE schema = 'main' AND type <> 'table'
      UNION ALL SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0
      UNION ALL SELECT 1 FROM pragma_index_list(?1) WHERE partial
      UNION ALL
      SELECT 1 FROM pragma_index_list(?1) AS indexes, pragma_index_xinfo(indexes.name) AS columns
      WHERE columns.cid = -2
      """, table)
    guard try !computed.step() else {
      throw refusal(
        "\(name) is not a backup of Loop: its table \(table) has columns or indexes that "
          + "are computed")
    }
  }

  /// Returns the names of a table's columns in lower case, because Loop's schemas differ in case.
  static func columns(of table: String, _ connection: Connection) throws -> Set<String> {
    let rows = try connection.query("SELECT lower(name) FROM pragma_table_info(?1)", table)
    var names: Set<String> = []
    while try rows.step() { names.insert(try rows.text(0)) }
    return names
  }

  // MARK: - Errors

  static func refusal(_ message: String) -> ProjectionError {
    ProjectionError(code: .invalidValue, message: message)
  }

  /// Returns an error of this module with a message about the user's file instead of the
  /// projections.
  private static func translated(_ error: any Error, name: String) -> any Error {
    guard let error = error as? ProjectionError, [.damaged, .io, .readOnly].contains(error.code)
    else { return error }
    let reason = error.message.replacing("projections: ", with: "", maxReplacements: 1)
    return error.code == .damaged
      ? refusal("\(name) is not a SQLite database or is damaged: \(reason)")
      : ProjectionError(code: .io, message: "\(name) cannot be read: \(reason)", cause: error)
  }
}
