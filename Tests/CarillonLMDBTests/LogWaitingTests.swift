import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Waiting for another process ends at a time limit, with an error that names the process.
struct LogWaitingTests {
  @Test("A writer stopped in a commit blocks no readers, and other writers up to a limit")
  func stoppedWriter() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create(.impatient)
    try await log.record("first")
    // Does what a writer does, and then stops.
    let file = open(fixture.dataFile.path, O_RDWR | O_CLOEXEC)
    try #require(lock(file, byte: 0x4000_0000_0000_0003))
    let error = await #expect(throws: LogError.self) { try await log.record("second") }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("process \(getpid())") == true, "\(String(describing: error))")
    #expect(try log.texts() == ["first"])
    await log.close()
    let again = try fixture.open(.impatient)
    close(file)
    try await again.record("third")
    #expect(try again.texts() == ["first", "third"])
    #expect(try again.verify() == [])
    await again.close()
  }

  @Test("An error names a process that rewrites the file for too long; other logs open")
  func stoppedRewriter() async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    let other = try LogFixture()
    try await other.create().close()
    // Does what a compaction does, and then stops.
    let file = open(fixture.dataFile.path, O_RDWR | O_CLOEXEC)
    try #require(lock(file, byte: 0x4000_0000_0000_0000))
    let queue = DispatchQueue(label: "opener")
    async let opened: Result<Void, any Error> = withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: Result { _ = try fixture.open(.impatient) })
      }
    }
    for _ in 0..<20 {
      let log = try other.open(.impatient)
      try await log.record("meanwhile")
      await log.close()
    }
    let error = #expect(throws: LogError.self) { try fixture.open(.impatient) }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("process \(getpid())") == true, "\(String(describing: error))")
    let result = await opened
    #expect(throws: LogError.self) { try result.get() }
    // A child process that another test is starting shares the descriptor.
    try #require(lock(file, byte: 0x4000_0000_0000_0000, F_UNLCK))
    close(file)
    let log = try fixture.open()
    try await log.record("first")
    await log.close()
  }

  @Test("A process with the same process ID, as in another container, is reported")
  func sameProcessID() async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    // Does what LMDB does for a process that reads.
    let file = open(fixture.url.path + "/log/lock.mdb", O_RDWR | O_CLOEXEC)
    try #require(lock(file, byte: Int64(getpid())))
    let error = #expect(throws: LogError.self) { try fixture.open() }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("same process ID, \(getpid()),") == true)
    try #require(lock(file, byte: Int64(getpid()), F_UNLCK))
    close(file)
    try await fixture.open().close()
  }

  /// Acquires an exclusive lock on one byte of an open file, or releases it.
  private func lock(_ descriptor: Int32, byte: Int64, _ type: Int32 = F_WRLCK) -> Bool {
    var request = flock()
    request.l_type = Int16(type)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = off_t(byte)
    request.l_len = 1
    return fcntl(descriptor, 37, &request) == 0
  }
}
