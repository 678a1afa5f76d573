import Testing

@testable import CarillonModel

@Suite struct EventIDTests {
  @Test("Bytes, text and memory give the same ID, and its head is the timestamp")
  func forms() throws {
    let bytes = [UInt8](100..<132)
    let id = try #require(EventID(bytes: bytes))
    #expect(id.bytes == bytes)
    #expect(EventID(id.description) == id && id.description.hasPrefix("64656667"))
    #expect(id.timestamp.rawValue == 0x6465_6667_6869_6A6B)
    #expect(id.tail == 0x7C7D_7E7F_8081_8283)
    #expect(id.withUnsafeBytes { [UInt8]($0) } == bytes)
    let shifted = [0] + bytes
    #expect(shifted.withUnsafeBytes { EventID(loading: .init(rebasing: $0.dropFirst())) } == id)
  }

  @Test("Only 32 bytes, or 64 digits, are an ID")
  func refused() {
    #expect(EventID(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    #expect(EventID(String(repeating: "0", count: 63)) == nil)
    #expect(EventID(String(repeating: "0", count: 66)) == nil)
    #expect(EventID(String(repeating: "g", count: 64)) == nil)
  }

  @Test("IDs are ordered as their bytes")
  func order() {
    var random = SeededGenerator(seed: 2)
    let ids = (0..<200).map { _ in
      EventID(words: (random.next() & 3, random.next() & 3, random.next() & 3, random.next()))
    }.sorted()
    for (left, right) in zip(ids, ids.dropFirst()) {
      #expect(left.bytes.lexicographicallyPrecedes(right.bytes))
    }
  }
}
