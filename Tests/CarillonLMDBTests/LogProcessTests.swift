import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Several processes on one log, and processes that end while they use it.
///
/// Each child is a separate process and receives its inputs by value.
struct LogProcessTests {
  @Test("If the file may not grow, only the commit fails")
  func fileLimit() async throws {
    // In a separate process, because the limit applies to all of its files.
    await #expect(processExitsWith: .success) {
      let fixture = try LogFixture()
      let log = try fixture.create()
      try await log.record("before")
      let large = (0..<100).map { NewEvent(payload: [UInt8](repeating: $0, count: 1_000)) }
      // Otherwise the system would kill the process instead of failing the call.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let before = limit.rlim_cur
      limit.rlim_cur = rlim_t(try log.fileByteCount)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let code = try await logErrorCode {
        _ = try await log.record(large, wallClock: .logTests, expecting: nil)
      }
      #expect(code == .full)
      #expect(try log.texts() == ["before"])
      limit.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try await log.record("after")
      _ = try await log.record(large, wallClock: .logTests, expecting: nil)
      #expect(try log.lastPosition().rawValue == 102)
      #expect(try log.verify() == [])
      await log.close()
    }
  }

  @Test("Two processes that write one log each see the other's events")
  func twoWriters() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    let path = fixture.url.path
    async let ours: Void = {
      for number in 0..<200 { try await log.record("parent \(number)") }
    }()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let log = try LMDBEventLog.open(at: URL(fileURLWithPath: path))
      for number in 0..<200 { try await log.record("child \(number)") }
      await log.close()
    }
    try await ours
    #expect(try log.lastPosition().rawValue == 400)
    #expect(try log.verify() == [])
    let texts = try log.texts()
    #expect(texts.filter { $0.hasPrefix("child") } == (0..<200).map { "child \($0)" })
    await log.close()
  }

  @Test("A process adopts the map that another process has enlarged")
  func growthElsewhere() async throws {
    let fixture = try LogFixture()
    var options = LMDBLogOptions()
    options.initialMapByteCount = 1 << 18
    let log = try fixture.create(options)
    try await log.record("first")
    let path = fixture.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let log = try LMDBEventLog.open(at: URL(fileURLWithPath: path))
      for _ in 0..<20 {
        let events = (0..<100).map { NewEvent(payload: [UInt8](repeating: $0, count: 1_000)) }
        _ = try await log.record(events, wallClock: .logTests, expecting: nil)
      }
      await log.close()
    }
    #expect(try log.lastPosition().rawValue == 2_001)
    try await log.record("last")
    #expect(try log.lastPosition().rawValue == 2_002)
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("Acknowledged events survive the kill of the process, also while it reads")
  func killed() async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    let path = fixture.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let log = try LMDBEventLog.open(at: URL(fileURLWithPath: path))
      for number in 0..<20 { try await log.record("child \(number)") }
      try log.scan(after: .start) { _ in
        kill(getpid(), SIGKILL)
        return true
      }
    }
    let log = try fixture.open()
    #expect(try log.texts() == (0..<20).map { "child \($0)" })
    // The dead reader does not keep pages from being reused, so the file stops growing.
    for number in 0..<300 { try await log.record("parent \(number)") }
    #expect(try log.fileByteCount < 1 << 19)
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("Writing to a read-only directory throws readOnly")
  func readOnly() async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    let path = fixture.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      // The superuser can write everywhere, so a child of the superuser changes its user.
      for file in ["", "/log", "/log/data.mdb", "/log/lock.mdb", "/log/identity"] {
        chmod(path + file, file.contains(".") || file.hasSuffix("identity") ? 0o444 : 0o555)
      }
      if geteuid() == 0 { setuid(65_534) }
      let code = try await logErrorCode {
        let log = try LMDBEventLog.open(at: URL(fileURLWithPath: path))
        try await log.record("more")
      }
      #expect(code == .readOnly)
      let elsewhere = try await logErrorCode {
        _ = try LMDBEventLog.create(
          at: URL(fileURLWithPath: path + "/new"), storeID: StoreID(high: 1, low: 1),
          replica: ReplicaID(high: 1, low: 1))
      }
      #expect(elsewhere == .readOnly)
    }
    for file in ["", "/log"] { chmod(path + file, 0o755) }
  }
}
