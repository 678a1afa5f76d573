import Foundation
import Testing

@testable import CarillonModel

@Suite struct IdentifierTests {
  @Test("Bytes, text and memory give the same identifier")
  func forms() throws {
    let bytes = [UInt8](0..<16)
    let id = try #require(HabitID(bytes: bytes))
    #expect(id.bytes == bytes)
    #expect(id.description == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    #expect(HabitID(id.description) == id)
    #expect(HabitID(id.description.uppercased()) == id)
    #expect(bytes.withUnsafeBytes { HabitID(loading: $0) } == id)
    #expect(id.withUnsafeBytes { [UInt8]($0) } == bytes)
    let json = try JSONEncoder().encode([id])
    #expect(try JSONDecoder().decode([HabitID].self, from: json) == [id])
  }

  @Test(
    "What is no UUID is refused",
    arguments: [
      "", "00010203-0405-0607-0809-0a0b0c0d0e0", "000102030405060708090a0b0c0d0e0f",
      "00010203-0405-0607-0809-0a0b0c0d0e0g", "0001020-30405-0607-0809-0a0b0c0d0e0f",
      "{00010203-0405-0607-0809-0a0b0c0d0e0f}", "００010203-0405-0607-0809-0a0b0c0d0e0f",
    ])
  func refused(text: String) {
    #expect(HabitID(text) == nil)
  }

  @Test("Only 16 bytes are an identifier")
  func counts() {
    #expect(HabitID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
    #expect(HabitID(bytes: [UInt8](repeating: 0, count: 17)) == nil)
  }

  @Test("Identifiers are ordered as their bytes")
  func order() {
    var random = SeededGenerator(seed: 1)
    let ids = (0..<200).map { _ in SlotID.random(using: &random) }.sorted()
    for (left, right) in zip(ids, ids.dropFirst()) {
      #expect(left.bytes.lexicographicallyPrecedes(right.bytes))
    }
  }

  @Test("A random identifier is a version 4 UUID, and a function of its generator")
  func random() {
    var (first, second) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
    for _ in 0..<100 {
      let id = ReplicaID.random(using: &first)
      #expect(id == ReplicaID.random(using: &second))
      #expect(id.bytes[6] >> 4 == 4 && id.bytes[8] >> 6 == 2)
    }
  }
}
