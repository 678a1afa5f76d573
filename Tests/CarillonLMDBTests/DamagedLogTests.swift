import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Damaged files lead to an error, never to a crash.
///
/// Each test damages a copy of a log's data file, then opens it, reads all of it, writes to it and
/// verifies it. Only the thrown error is checked, because a crash would end the whole test run.
struct DamagedLogTests {
  @Test("A truncated file is corrupt")
  func truncated() async throws {
    let fixture = try LogFixture()
    try await fixture.fill()
    let whole = try Data(contentsOf: fixture.dataFile)
    var counts = Array(stride(from: 4_096, to: whole.count, by: 4_096))
    counts += [0, 1, 100, 4_095, 4_097, 8_191, whole.count - 1]
    for count in counts {
      try whole.prefix(count).write(to: fixture.dataFile)
      let code = try await logErrorCode { try await use(fixture) }
      #expect(code == .corrupt, "\(count) of \(whole.count) bytes")
    }
  }

  @Test(
    "A file truncated while the log is open is corrupt, and no write is acknowledged",
    arguments: [0, 1, 4_096, 8_192, 12_288])
  func cutWhileOpen(_ byteCount: Int) async throws {
    let fixture = try LogFixture()
    try await fixture.fill()
    let log = try fixture.open()
    #expect(try log.lastPosition() > .start)
    let file = try FileHandle(forWritingTo: fixture.dataFile)
    try file.truncate(atOffset: UInt64(byteCount))
    try file.close()
    #expect(try await logErrorCode { _ = try log.lastPosition() } == .corrupt)
    #expect(try await logErrorCode { try log.scan(after: .start) { _ in true } } == .corrupt)
    let event = NewEvent(payload: [1])
    let code = try await logErrorCode {
      _ = try await log.record([event], wallClock: .logTests, expecting: nil)
    }
    #expect(code == .corrupt)
    await log.close()
  }

  @Test(
    "A last page beyond the end of an open log's file is corrupt and causes no crash",
    arguments: 0..<48)
  func lastPage(_ bit: Int) async throws {
    let fixture = try LogFixture()
    try await fixture.fill(rounds: 3)
    let log = try fixture.open()
    let last = try log.lastPosition()
    let whole = try Data(contentsOf: fixture.dataFile)
    var damaged = whole
    // Of LMDB's first two pages, the one with the greater commit number is current.
    let newest = whole[144] > whole[4_096 + 144] ? 0 : 4_096
    damaged[newest + 136 + bit / 8] ^= 1 << UInt8(bit % 8)
    try damaged.write(to: fixture.dataFile)
    let reading = try await logErrorCode { _ = try LogContents(log) }
    let writing = try await logErrorCode { try await log.record("more") }
    #expect(reading == nil || reading == .corrupt, "bit \(bit)")
    #expect(writing == nil || writing == .corrupt, "bit \(bit)")
    // A page that is certainly beyond the end of the file is never served.
    if bit > 12 { #expect(reading == .corrupt && writing == .corrupt, "bit \(bit)") }
    if writing != nil {
      try whole.write(to: fixture.dataFile)
      #expect(try log.lastPosition() == last)
      try await log.record("more")
    }
    await log.close()
  }

  @Test("A lock file truncated under an open log causes an error, and the data stays intact")
  func cutLockFile() async throws {
    let fixture = try LogFixture()
    try await fixture.fill(rounds: 1)
    let log = try fixture.open()
    let last = try log.lastPosition()
    let file = try FileHandle(forWritingTo: fixture.url.appending(path: "log/lock.mdb"))
    try file.truncate(atOffset: 0)
    try file.close()
    #expect(try await logErrorCode { _ = try log.lastPosition() } == .io)
    #expect(try await logErrorCode { try await log.record("more") } == .io)
    await log.close()
    let again = try fixture.open()
    #expect(try again.lastPosition() == last)
    try await again.record("more")
    #expect(try again.verify() == [])
    await again.close()
  }

  @Test("A file that contains only zeros or text is corrupt")
  func foreign() async throws {
    let fixture = try LogFixture()
    try await fixture.fill()
    let count = try Data(contentsOf: fixture.dataFile).count
    for byte in [0, 0x41, 0xFF] as [UInt8] {
      try Data(repeating: byte, count: count).write(to: fixture.dataFile)
      #expect(try await logErrorCode { try await use(fixture) } == .corrupt)
    }
  }

  @Test("An overwritten page never causes a crash", arguments: [0, 0x5A, 0xFF] as [UInt8])
  func overwrittenPages(_ byte: UInt8) async throws {
    let fixture = try LogFixture()
    try await fixture.fill()
    let whole = try Data(contentsOf: fixture.dataFile)
    for start in stride(from: 0, to: whole.count, by: 4_096) {
      var damaged = whole
      damaged.replaceSubrange(
        start..<start + 4_096, with: [UInt8](repeating: byte, count: 4_096))
      try damaged.write(to: fixture.dataFile)
      let code = try await logErrorCode { try await use(fixture) }
      #expect(code == nil || code == .corrupt, "page \(start / 4_096)")
    }
  }

  @Test("Flipped bytes never cause a crash", arguments: TestSeed.first(2))
  func flippedBytes(_ seed: UInt64) async throws {
    let fixture = try LogFixture()
    try await fixture.fill(rounds: 10)
    let whole = try Data(contentsOf: fixture.dataFile)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<30 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        // Half of the damage is in the headers of pages, where it has the most effect.
        var index = Int.random(in: 0..<whole.count, using: &generator)
        if Bool.random(using: &generator) { index = index & ~4_095 | index & 63 }
        damaged[index] = UInt8.random(in: 0...255, using: &generator)
      }
      try damaged.write(to: fixture.dataFile)
      let code = try await logErrorCode { try await use(fixture) }
      #expect(
        code == nil || [.corrupt, .unsupportedFormat, .notFound].contains(code),
        "seed \(seed), round \(round): \(code?.rawValue ?? "")")
    }
  }

  @Test("Verifying finds a flipped byte in a payload and reports its position")
  func verified() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await log.record("before")
    let damaged = try await log.record("a payload that is easily found")
    try await log.record("after")
    await log.close()
    var file = try Data(contentsOf: fixture.dataFile)
    let range = try #require(file.range(of: Data("easily".utf8), options: .backwards))
    file[range.lowerBound] ^= 1
    // Older copies of the page may contain the payload too.
    while let other = file.range(of: Data("easily".utf8)) { file[other.lowerBound] ^= 1 }
    try file.write(to: fixture.dataFile)
    let again = try fixture.open()
    #expect(try again.verify().map(\.position) == [damaged.events[0].position])
    await again.close()
  }

  @Test("Verifying finds an event whose sequence is out of range")
  func greatSequence() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    let damaged = try await log.record("a payload that is easily found")
    try await log.record("after")
    await log.close()
    var file = try Data(contentsOf: fixture.dataFile)
    // In each copy of the page, branch (4 bytes), sequence (8) and ID (32) precede the payload.
    var searched = file.startIndex..<file.endIndex
    while let payload = file.range(of: Data("a payload".utf8), in: searched) {
      let sequence = payload.lowerBound - 40..<payload.lowerBound - 32
      file.replaceSubrange(sequence, with: [UInt8](repeating: 0xFF, count: 8))
      searched = payload.upperBound..<file.endIndex
    }
    try file.write(to: fixture.dataFile)
    let again = try fixture.open()
    #expect(try again.verify().first?.position == damaged.events[0].position)
    await again.close()
  }

  @Test("Verifying an intact log finds no problem")
  func whole() async throws {
    let fixture = try LogFixture()
    let last = try await fixture.fill()
    let log = try fixture.open()
    #expect(try log.verify() == [])
    #expect(try log.lastPosition() == last)
    await log.close()
  }

  /// Performs every operation of a log.
  private func use(_ fixture: LogFixture) async throws {
    let log = try fixture.open()
    var firstError: (any Error)?
    func attempt(_ body: () async throws -> Void) async {
      do { try await body() } catch { firstError = firstError ?? error }
    }
    await attempt { try log.scan(after: .start) { _ in true } }
    await attempt {
      for branch in try log.branches() {
        try log.scan(branch: branch.index, from: .first) { _ in true }
        _ = try log.position(of: branch.headID)
      }
    }
    await attempt { _ = try log.verify() }
    await attempt { try await log.record("more") }
    await attempt {
      var history = EventHistory(ReplicaID(high: 9, low: 9))
      let known = history.run(count: 5)
      _ = try await log.append(
        [known, history.run(count: 1, text: "fork")], wallClock: .logTests)
    }
    for number in 0..<10 {
      await attempt {
        _ = try await log.record(
          (0..<20).map { NewEvent(payload: .ofLogTest(number * 20 + $0)) },
          wallClock: .logTests, expecting: nil)
      }
    }
    await log.close()
    if let firstError { throw firstError }
  }
}
