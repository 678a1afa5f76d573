import CarillonSync
import CarillonTestSupport
import Testing

struct DeflateTests {
  @Test("Deflated bytes inflate to the original bytes", arguments: [Int32(1), 6, 9])
  func roundTrip(level: Int32) throws {
    let bytes = (0..<100_000).map { UInt8($0 / 7 % 50) }
    let deflated = try #require(Deflate.deflated(bytes, level: level))
    #expect(deflated.count < bytes.count)
    #expect(Deflate.inflated(deflated, limit: bytes.count) == bytes)
  }

  @Test("Bytes that deflate would not shrink are not deflated", arguments: [0, 1, 5, 1_000])
  func incompressible(count: Int) {
    var generator = SeededGenerator(seed: 1)
    #expect(Deflate.deflated(SyncFixture.bytes(count, &generator), level: 6) == nil)
  }

  @Test("Inflating stops at the limit, even if the input is small")
  func bomb() throws {
    let deflated = try #require(
      Deflate.deflated(Array(repeating: 0, count: 50_000_000), level: 9))
    #expect(deflated.count < 60_000)
    #expect(Deflate.inflated(deflated, limit: 480_000) == nil)
  }

  @Test("Invalid, truncated or trailing bytes inflate to nil")
  func damaged() throws {
    let bytes = (0..<10_000).map { UInt8($0 / 7 % 50) }
    let deflated = try #require(Deflate.deflated(bytes, level: 6))
    #expect(Deflate.inflated([], limit: 100) == nil)
    #expect(Deflate.inflated([0xFF, 0xFF, 0xFF], limit: 100) == nil)
    #expect(Deflate.inflated(Array(deflated.dropLast()), limit: 100_000) == nil)
    #expect(Deflate.inflated(deflated + [0], limit: 100_000) == nil)
    #expect(Deflate.inflated(deflated, limit: bytes.count - 1) == nil)
  }
}
