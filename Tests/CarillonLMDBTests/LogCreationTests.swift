import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Logs that are created next to existing or unfinished ones.
struct LogCreationTests {
  @Test("Creating a log leaves an existing one unchanged, whether it is open or closed")
  func late() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await log.record("first")
    #expect(try await logErrorCode { _ = try fixture.making() } == .alreadyExists)
    try await log.record("second")
    await log.close()
    #expect(try await logErrorCode { _ = try fixture.making() } == .alreadyExists)
    let again = try fixture.open()
    #expect(try again.texts() == ["first", "second"])
    await again.close()
    #expect(try fixture.names() == ["log"])
  }

  @Test("A log that is being created cannot be opened, and no second one can be created")
  func unfinished() async throws {
    let fixture = try LogFixture()
    let making = try fixture.making()
    try await making.lmdb.record("first")
    #expect(try await logErrorCode { _ = try fixture.open() } == .notFound)
    #expect(try await logErrorCode { _ = try fixture.making() } == .alreadyExists)
    try making.publish()
    try await making.lmdb.record("second")
    let other = try fixture.open()
    #expect(try other.texts() == ["first", "second"])
    await other.close()
    await making.lmdb.close()
    #expect(try fixture.names() == ["log"])
  }

  @Test("Discarding a new log removes all of its files and no others")
  func discarded() async throws {
    let fixture = try LogFixture()
    let making = try fixture.making()
    making.discard()
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
    let second = try fixture.making()
    let note = fixture.url.appending(path: "a note")
    try Data("mine".utf8).write(to: note)
    second.discard()
    #expect(try fixture.names() == ["a note"])
    try await fixture.create().close()
  }

  @Test("Creating a log replaces what a killed process left")
  func killed() async throws {
    let fixture = try LogFixture()
    let path = fixture.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let making = try LMDBLogMaking(
        at: URL(fileURLWithPath: path), storeID: .random(), replica: .random())
      try await making.lmdb.record("left")
      kill(getpid(), SIGKILL)
    }
    #expect(try fixture.names() == ["log.new"])
    #expect(try await logErrorCode { _ = try fixture.open() } == .notFound)
    let log = try fixture.create()
    #expect(try log.texts() == [])
    #expect(log.storeID == fixture.store)
    await log.close()
    #expect(try fixture.names() == ["log"])
  }

  @Test("If many threads create one log, exactly one succeeds")
  func threads() async throws {
    let fixture = try LogFixture()
    let made = try await withThrowingTaskGroup(of: LMDBEventLog?.self) { group in
      for _ in 0..<8 {
        group.addTask {
          do {
            return try fixture.create()
          } catch let error as LogError where error.code == .alreadyExists {
            return nil
          }
        }
      }
      return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
    }
    #expect(made.count == 1)
    for log in made { await log.close() }
  }

  @Test(
    "A data file with two names is refused, and works again with either name",
    arguments: [true, false])
  func secondName(isSymbolic: Bool) async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await log.record("first")
    await log.close()
    let other = fixture.directory.appending("elsewhere")
    if isSymbolic {
      try FileManager.default.moveItem(at: fixture.dataFile, to: other)
      try FileManager.default.createSymbolicLink(at: fixture.dataFile, withDestinationURL: other)
    } else {
      try FileManager.default.linkItem(at: fixture.dataFile, to: other)
    }
    #expect(try await logErrorCode { _ = try fixture.open() } == .io)
    #expect(try await logErrorCode { try LMDBEventLog.compact(at: fixture.url) } == .io)
    if isSymbolic { try FileManager.default.removeItem(at: fixture.dataFile) }
    if isSymbolic {
      try FileManager.default.moveItem(at: other, to: fixture.dataFile)
    } else {
      try FileManager.default.removeItem(at: other)
    }
    let again = try fixture.open()
    #expect(try again.texts() == ["first"])
    await again.close()
  }

  @Test("The data file keeps its permissions when a compaction replaces it")
  func compactedPermissions() async throws {
    let fixture = try LogFixture()
    try await fixture.fill()
    for mode: mode_t in [0o600, 0o640] {
      chmod(fixture.dataFile.path, mode)
      try LMDBEventLog.compact(at: fixture.url)
      var status = stat()
      #expect(stat(fixture.dataFile.path, &status) == 0 && status.st_mode & 0o777 == mode)
    }
  }
}

extension LogFixture {
  fileprivate func making() throws -> LMDBLogMaking {
    try LMDBLogMaking(at: url, storeID: store, replica: replica)
  }

  /// Returns the names in the store's directory.
  fileprivate func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}
