import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// A full map, a missing or existing store, and other formats.
struct LogLimitTests {
  @Test("A full log throws full, stays readable, and writes no part of a call")
  func full() async throws {
    let fixture = try LogFixture()
    var options = LMDBLogOptions()
    options.initialMapByteCount = 1 << 18
    options.maxMapByteCount = 1 << 19
    let log = try fixture.create(options)
    let events = (0..<20).map { NewEvent(payload: [UInt8](repeating: $0, count: 1_000)) }
    var written: UInt64 = 0
    let code = try await logErrorCode {
      while true {
        _ = try await log.record(events, wallClock: .logTests, expecting: nil)
        written += 20
      }
    }
    #expect(code == .full)
    #expect(written > 0)
    #expect(try log.lastPosition().rawValue == written)
    #expect(try log.verify() == [])
    // With a larger limit, writing continues.
    await log.close()
    let larger = try fixture.open()
    try await larger.record("more")
    #expect(try larger.lastPosition().rawValue == written + 1)
    #expect(try larger.verify() == [])
    await larger.close()
  }

  @Test("A missing store and an existing store cause different errors")
  func presence() async throws {
    let fixture = try LogFixture()
    #expect(try await logErrorCode { _ = try fixture.open() } == .notFound)
    try FileManager.default.createDirectory(at: fixture.url, withIntermediateDirectories: true)
    #expect(try await logErrorCode { _ = try fixture.open() } == .notFound)
    let log = try fixture.create()
    #expect(try await logErrorCode { _ = try fixture.create() } == .alreadyExists)
    await log.close()
    #expect(try await logErrorCode { _ = try fixture.create() } == .alreadyExists)
  }

  @Test(
    "Another format is refused with both versions in the message", arguments: [1, 9] as [UInt8])
  func otherFormat(_ version: UInt8) async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    // Format 1 had no checksum, and a later format's checksum is unknown.
    try fixture.replaceInFile(Array("checksum".utf8), by: Array("checksux".utf8))
    try fixture.replaceInFile(
      Array("format".utf8) + [0, 0, 0, 3], by: Array("format".utf8) + [0, 0, 0, version])
    let error = #expect(throws: LogError.self) { try fixture.open() }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains("format \(version)") == true)
    #expect(error?.message.contains("format 3") == true)
  }
}
