#if Service
package import CarillonHub
internal import CarillonLog
package import CarillonModel
internal import CarillonSQLiteLog
internal import CarillonThreads
internal import Foundation
internal import GRDB

/// A hub's database in files: a file of the people, and beside it a log on SQLite for each.
///
/// Any number of processes of one machine may use it.
package final class FileHub: HubDatabase {
  let people: PeopleFile
  let logs: PersonLogs
  let executor = BlockingExecutor(maxThreads: 4)
  private let directory: String
  private let use: FileUse
  package let id: HubID

  /// Opens the database.
  ///
  /// - Parameters:
  ///   - path: A directory, or the file of the people, whose name ends with `.sqlite`.
  ///   - creates: Whether to create the database if it is missing.
  ///   - use: Who else may use the database meanwhile.
  /// - Throws: `LogError`: `busy`, also if hubs must not use it; `notFound` or, if a directory has
  ///   other files, `alreadyExists`; `readOnly`, `full`, `corrupt`, `unsupportedFormat`, `io`.
  package init(at path: String, creates: Bool = false, use: HubUse = .shared) throws {
    let file = Self.file(of: path)
    if !Self.exists(at: path) {
      guard creates else { throw LogError.noHub(path) }
      if file != path { try Self.requireUnused(path) }
    }
    directory = MadeDirectories.parent(of: file)
    var made = MadeDirectories()
    let logs = String(file.dropLast(Self.suffix.count)) + Self.logsSuffix
    try made.make(logs)
    self.use = try FileUse(logs, use)
    people = try PeopleFile(at: file, logs: logs, self.use)
    id = try people.id()
    self.logs = PersonLogs(in: logs)
    try made.sync()
  }

  /// Whether a path has the database of a hub.
  package static func exists(at path: String) -> Bool {
    FileManager.default.fileExists(atPath: file(of: path))
  }

  private static let suffix = ".sqlite"
  private static let logsSuffix = ".logs"

  /// Returns the file of the people.
  private static func file(of path: String) -> String {
    path.hasSuffix(suffix) ? path : path + "/people" + suffix
  }

  /// Whether two paths are those of one database that exists.
  ///
  /// - Throws: `LogError`: `readOnly`, `io` if a path cannot be read.
  package static func isSame(_ path: String, _ other: String) throws -> Bool {
    guard let key = try FileKey(of: file(of: path)) else { return false }
    return try key == FileKey(of: file(of: other))
  }

  /// Requires that a path can become the directory of a hub.
  private static func requireUnused(_ path: String) throws(LogError) {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return }
    guard isDirectory.boolValue else {
      throw LogError(
        code: .alreadyExists, message: "\(path) is a file, and no hub",
        hint: "give a directory, or a file whose name ends with \(suffix)")
    }
    // The root of a disk has a directory of its own, and a creation may have been interrupted.
    let logs = "people" + logsSuffix
    let others = try names(in: path).filter { $0 != "lost+found" && $0 != logs }
    let people = try names(in: "\(path)/\(logs)")
    // Another process may just have created the hub.
    guard others.isEmpty && people.isEmpty || exists(at: path) else {
      throw LogError(
        code: .alreadyExists, message: "\(path) has other files, and no hub",
        hint: "give a new or an empty directory, or a file whose name ends with \(suffix)")
    }
  }

  private static func names(in directory: String) throws(LogError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      let reason = (error as? CocoaError)?.underlying as? POSIXError
      throw .refused(reason?.code.rawValue ?? EIO, "cannot list the directory \(directory)")
    }
  }

  package func close() async {
    await logs.close()
    people.close()
    use.end()
  }

  package func state() async throws -> HubState {
    try await people.read { try PeopleFile.state(in: $0) }
  }

  package func setState(_ state: HubState) async throws {
    try await people.write { database in
      try database.execute(
        sql: "UPDATE hub SET state = ?, source = ?",
        arguments: [state.name, state.source.map { Data($0.bytes) }])
    }
  }

  /// The system keeps the lock as long as the process runs.
  package func confirmUse() {}

  // MARK: People

  package func add(_ person: StoreID, quota: HubQuota) async throws {
    try await people.write { [logs] database in
      guard try !Self.isErased(person, in: database) else { throw LogError.wasErased(person) }
      guard try Row.person(person, in: database) == nil else {
        throw LogError(code: .alreadyExists, message: "the store \(person) exists already")
      }
      try database.execute(
        sql: "INSERT INTO person (store, byteQuota, deviceQuota) VALUES (?, ?, ?)",
        arguments: [Data(person), Int64(clamping: quota.bytes), max(quota.devices, 0)])
      try logs.create(person)
    }
  }

  package func person(_ person: StoreID) async throws -> HubPerson? {
    guard let found = try await people.read({ try Row.person(person, in: $0) }) else { return nil }
    return try await withSizes(found)
  }

  package func people(after previous: StoreID?, limit: Int) async throws -> [HubPerson] {
    let rows = try await people.read { try Row.people(after: previous, limit: limit, in: $0) }
    var found: [HubPerson] = []
    for row in rows { found.append(try await withSizes(row)) }
    return found
  }

  package func setQuota(_ quota: HubQuota, of person: StoreID) async throws {
    try await people.write { database in
      try Row.require(person, in: database)
      try database.execute(
        sql: "UPDATE person SET byteQuota = ?, deviceQuota = ? WHERE store = ?",
        arguments: [Int64(clamping: quota.bytes), max(quota.devices, 0), Data(person)])
    }
  }

  package func erase(_ person: StoreID) async throws -> HubErasure {
    let rows = try await beginErasure(of: person)
    let files = try logs.fileCount(person)
    try await logs.remove(person)
    let rowsAfter = try await people.write { database in
      try database.execute(sql: "DELETE FROM person WHERE store = ?", arguments: [Data(person)])
      return try Self.rowCounts(person, in: database)
    }
    return HubErasure([
      .init("files", before: files, after: try logs.fileCount(person)),
      .init("access", before: rows[1], after: rowsAfter[1]),
      .init("person", before: rows[0], after: rowsAfter[0]),
    ])
  }

  /// Returns the numbers of rows that a person has.
  ///
  /// Whatever happens afterwards, nobody uses the files any more, and the same call continues.
  func beginErasure(of person: StoreID) async throws -> [Int] {
    try await people.write { [logs] database in
      let rows = try Self.rowCounts(person, in: database)
      // Only what is known to be erased: the people may have been restored from an older backup.
      let hasLeft = try Self.isErased(person, in: database) && logs.fileCount(person) > 0
      guard rows[0] > 0 || hasLeft else { throw LogError.noPerson(person) }
      try database.execute(
        sql: "UPDATE person SET isErasing = 1 WHERE store = ?", arguments: [Data(person)])
      try Self.addErased(Self.digest(person), in: database)
      return rows
    }
  }

  package func finishErasures() async throws {
    let people = try await people.read { try Row.erasing(in: $0) }
    for person in people {
      do {
        _ = try await erase(person)
      } catch let error as LogError where error.code == .notFound {
        // Another process has finished it.
      }
    }
  }

  package func compact(_ person: StoreID) async throws -> Int {
    // SQLite keeps small rows close together.
    _ = try await people.read { try Row.require(person, in: $0) }
    return 0
  }

  package func log(of person: StoreID) async throws -> any EventLog {
    let found = try await people.read { try Row.require(person, in: $0) }
    return try await withLog(of: found) { $0 }
  }

  package func positions(of people: Set<StoreID>) async throws -> [StoreID: LogPosition] {
    let known = try await self.people.read { database in
      try people.filter { try Row.person($0, in: database) != nil }
    }
    return try await blocking { [logs] in try logs.positions(of: known) }
  }

  // MARK: Groups

  /// All people are in one group.
  private static let group = "main"

  package func group(of person: StoreID) -> String { Self.group }

  package func group(ofAccess digest: [UInt8]) -> String? { Self.group }

  package func groups() async -> [HubGroup] {
    do {
      _ = try await people.read { try Row.people(after: nil, limit: 1, in: $0) }
      return [HubGroup(Self.group, copyCount: 0, freeByteCount: freeByteCount)]
    } catch {
      return [HubGroup(Self.group, failure: error)]
    }
  }

  private var freeByteCount: UInt64? {
    let values = try? FileManager.default.attributesOfFileSystem(forPath: directory)
    return values?[.systemFreeSize] as? UInt64
  }

  package func shards() async throws -> [HubShard] { [HubShard(0, group: Self.group, epoch: 1)] }

  package func move(_ shard: Int, to group: String) async throws {
    guard shard == 0, group == Self.group else {
      throw LogError(
        code: .notFound,
        message: "a hub in files has only the shard 0, in the group \(Self.group)")
    }
  }

  package func removeGroup(_ name: String) async throws -> Bool {
    throw LogError(
      code: name == Self.group ? .invalidValue : .notFound,
      message: "a hub in files has only the group \(Self.group), which cannot be removed")
  }

  // MARK: -

  func blocking<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(executor) { try body() }
  }

  /// Calls `body` with the log of a person.
  ///
  /// - Throws: `notFound` if the person was erased meanwhile, `corrupt` if only the log is missing.
  func withLog<Result: Sendable>(
    of person: HubPerson, _ body: @Sendable (SQLiteEventLog) throws -> Result
  ) async throws -> Result {
    do {
      return try await blocking { [logs] in
        try body(logs.log(of: person.id, byteLimit: person.quota.bytes))
      }
    } catch let error as LogError where error.code == .notFound {
      _ = try await people.read { try Row.require(person.id, in: $0) }
      throw LogError.noLog(person.id)
    }
  }

  /// Returns a person with the sizes of the log, or with its problem.
  private func withSizes(_ person: HubPerson) async throws -> HubPerson {
    var person = person
    do {
      (person.eventCount, person.byteCount) = try await withLog(of: person) { log in
        (try log.lastPosition().rawValue, try log.byteCount())
      }
    } catch let error as LogError where error.isOfOneLog && error.code != .notFound {
      person.problem = error.message
    }
    return person
  }

  static func digest(_ person: StoreID) -> Data { Data(PayloadDigest(person.bytes).bytes) }

  private static func rowCounts(_ person: StoreID, in database: Database) throws -> [Int] {
    try ["person", "access"].map { table in
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM \(table) WHERE store = ?", arguments: [Data(person)])
        ?? 0
    }
  }
}

extension LogError {
  fileprivate static func noHub(_ path: String) -> LogError {
    LogError(
      code: .notFound, message: "there is no hub at \(path)",
      hint: "check the path; a hub is created when it is first served, or when its first person is "
        + "added")
  }

  fileprivate static func noLog(_ person: StoreID) -> LogError {
    LogError(
      code: .corrupt, message: "the log of the store \(person) is missing",
      hint: "put its files back from a backup, or erase the person")
  }

  /// Whether the logs of other people can be used nevertheless.
  var isOfOneLog: Bool { [.notFound, .corrupt, .unsupportedFormat, .io].contains(code) }

  static func noPerson(_ person: StoreID) -> LogError {
    LogError(code: .notFound, message: "there is no store \(person)")
  }
}
#endif
