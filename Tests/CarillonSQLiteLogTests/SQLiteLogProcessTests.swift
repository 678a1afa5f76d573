import CarillonLog
import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import Foundation
import Testing

/// Several processes that use one log, and processes that end while they use it.
///
/// Each child is a separate process and receives its input by value.
struct SQLiteLogProcessTests {
  @Test("Two processes write to one log at once, and each sees the other's events")
  func twoWriters() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    let path = fixture.url.path
    async let ours: Void = {
      for number in 0..<200 { try await log.record("parent \(number)") }
    }()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let log = try SQLiteEventLog.open(at: URL(fileURLWithPath: path))
      for number in 0..<200 { try await log.record("child \(number)") }
      await log.close()
    }
    try await ours
    #expect(try log.lastPosition().rawValue == 400)
    let texts = try log.texts()
    #expect(texts.filter { $0.hasPrefix("child") } == (0..<200).map { "child \($0)" })
    #expect(texts.filter { $0.hasPrefix("parent") } == (0..<200).map { "parent \($0)" })
    #expect(try log.branches().count == 1)
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("Acknowledged events are kept after the writer was killed", arguments: [1, 7, 40])
  func killed(count: Int) async throws {
    let fixture = try SQLiteLogFixture()
    try await fixture.create().close()
    let path = fixture.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count] in
      let log = try SQLiteEventLog.open(at: URL(fileURLWithPath: path))
      for number in 0..<count { try await log.record("child \(number)") }
      // During a commit and a scan.
      async let _ = log.record("not acknowledged")
      try log.scan(after: .start) { _ in
        kill(getpid(), SIGKILL)
        return true
      }
    }
    let log = try fixture.open()
    let texts = try log.texts()
    #expect(texts.prefix(count) == (0..<count).map { "child \($0)" }[...])
    #expect(texts.count <= count + 1)
    #expect(try log.identity().replica == fixture.replica)
    try await log.record("parent")
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("A process killed while it creates a log leaves no log, and does not block the next")
  func killedMaker() async throws {
    let fixture = try SQLiteLogFixture()
    let path = fixture.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let making = try SQLiteLogStorage().make(
        at: URL(fileURLWithPath: path), storeID: StoreID(high: 1, low: 1),
        replica: ReplicaID(high: 1, low: 1), options: LogOptions())
      try await making.log.record("unseen")
      kill(getpid(), SIGKILL)
    }
    #expect(try await logErrorCode { _ = try fixture.open() } == .notFound)
    let log = try fixture.create()
    #expect(try log.lastPosition() == .start)
    await log.close()
    #expect(try fixture.names() == ["log.identity", "log.sqlite"])
  }

  @Test("If the file may not grow, only the commit fails")
  func fileLimit() async throws {
    // In a separate process, because the limit applies to all of a process's files.
    await #expect(processExitsWith: .success) {
      let fixture = try SQLiteLogFixture()
      let log = try fixture.create()
      try await log.record("before")
      let large = (0..<100).map { NewEvent(payload: [UInt8](repeating: $0, count: 1_000)) }
      // Without this the system ends the process instead of failing the call.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let before = limit.rlim_cur
      limit.rlim_cur = 40_000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let code = try await logErrorCode {
        _ = try await log.record(large, wallClock: .logTests, expecting: nil)
      }
      #expect(code == .full)
      #expect(try log.events().count == 1)
      limit.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try await log.record("after")
      _ = try await log.record(large, wallClock: .logTests, expecting: nil)
      #expect(try log.lastPosition().rawValue == 102)
      #expect(try log.verify() == [])
      await log.close()
    }
  }

  @Test("Without a free file descriptor a read fails, and the log can be used again afterwards")
  func descriptors() async throws {
    await #expect(processExitsWith: .success) {
      let fixture = try SQLiteLogFixture()
      let log = try fixture.create()
      try await log.record("before")
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let before = limit.rlim_cur
      limit.rlim_cur = 3
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      // The idle connection is in use, so the second one must open files of its own.
      let code = try await logErrorCode {
        try log.scan(after: .start) { _ in
          _ = try log.lastPosition()
          return true
        }
      }
      #expect(code == .io)
      limit.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try await log.record("after")
      #expect(try log.lastPosition().rawValue == 2)
      await log.close()
    }
  }

  @Test("In a directory that cannot be written, a log can be read, and a write reports that")
  func readOnly() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    try await log.record("before")
    await log.close()
    let path = fixture.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      // The superuser may write everywhere, so a child that is the superuser becomes another user.
      for file in ["/log.sqlite", "/log.identity"] { chmod(path + file, 0o444) }
      chmod(path, 0o555)
      if geteuid() == 0 { setuid(65_534) }
      let log = try SQLiteEventLog.open(at: URL(fileURLWithPath: path))
      #expect(log.isReadOnly)
      #expect(try log.events().count == 1)
      #expect(try await logErrorCode { try await log.record("more") } == .readOnly)
      await log.close()
      let elsewhere = try await logErrorCode {
        _ = try SQLiteEventLog.create(
          at: URL(fileURLWithPath: path + "/new"), storeID: StoreID(high: 1, low: 1),
          replica: ReplicaID(high: 1, low: 1))
      }
      #expect(elsewhere == .readOnly)
    }
    chmod(path, 0o755)
  }
}
