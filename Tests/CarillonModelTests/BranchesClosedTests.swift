import CarillonModel
import CarillonTestSupport
import Testing

/// The encoding of an event that closes branches.
struct BranchesClosedTests {
  private static func closed(_ count: Int) -> BranchesClosed {
    var random = SeededGenerator(seed: UInt64(count))
    return BranchesClosed(
      heads: (0..<count).map { _ in
        Head(
          replica: .random(using: &random),
          sequence: SequenceNumber(rawValue: 1 + random.next() >> 12),
          id: EventID(words: (random.next(), random.next(), random.next(), random.next())))
      })
  }

  private static func read(_ bytes: [UInt8]) -> BranchesClosed? {
    bytes.withUnsafeBytes { BranchesClosed(written: $0) }
  }

  @Test("Encoding and decoding returns the same heads", arguments: 1...64)
  func written(count: Int) {
    let closed = Self.closed(count)
    #expect(Self.read(closed.written) == closed)
    #expect(closed.written.count <= StoredEvent.maxPayloadBytes)
  }

  @Test("An extra or missing byte, 65 heads, or no heads are rejected")
  func otherForms() {
    for count in [1, 3, 4, 16, 64] {
      let bytes = Self.closed(count).written
      #expect(Self.read(bytes + [0]) == nil)
      #expect(Self.read(Array(bytes.dropLast())) == nil)
      #expect(Self.read(Array(bytes.dropFirst())) == nil)
    }
    #expect(Self.read(Self.closed(65).written) == nil)
    #expect(Self.read(Self.closed(0).written) == nil)
    #expect(Self.read([]) == nil && Self.read([0xE2, 0x01]) == nil)
  }

  @Test(
    "A sequence of 0 or above 2^53 is rejected",
    arguments: [0, (1 << 53) + 1, .max] as [UInt64])
  func sequences(_ sequence: UInt64) {
    let head = Self.closed(1).heads[0]
    let closed = BranchesClosed(
      heads: [
        Head(replica: head.replica, sequence: SequenceNumber(rawValue: sequence), id: head.id)
      ])
    #expect(Self.read(closed.written) == nil)
  }
}
