import CarillonLog
import CarillonModel
import Foundation
import Testing

/// `protocol/vectors/erasure-lists.json`: the lists by which logs without keys drop payloads.
///
/// `tools/python_sealed.py` compares the same file, without any of our code.
struct ErasureListTests {
  private struct Vectors: Decodable {
    struct List: Decodable {
      var erasure: String
      var replica: String
      var last: String
      var sequences: [UInt64]
      var payload: String
    }

    struct Refused: Decodable {
      var name: String
      var payload: String
    }

    var lists: [List]
    var refused: [Refused]
  }

  private static func vectors() throws -> Vectors {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "protocol/vectors/erasure-lists.json")
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }

  @Test("The lists of the vectors have their bytes, and are read from them")
  func lists() throws {
    let vectors = try Self.vectors().lists
    #expect(vectors.contains { $0.sequences.count == ErasureList.maxCount })
    for vector in vectors {
      let sequences = vector.sequences.map(SequenceNumber.init)
      let list = ErasureList(
        erasure: try #require(EventID(vector.erasure)),
        last: Head(
          replica: try #require(ReplicaID(vector.replica)), sequence: sequences[0],
          id: try #require(EventID(vector.last))),
        others: Set(sequences.dropFirst()))
      #expect(list.written.hexadecimal == vector.payload)
      let payload = try #require([UInt8](hexadecimal: vector.payload))
      #expect(payload.withUnsafeBytes { ErasureList(written: $0) } == list)
      #expect(list.sequences == sequences)
    }
  }

  @Test("What the vectors name as refused is no list, and neither is a list that is cut")
  func refusals() throws {
    let vectors = try Self.vectors()
    #expect(vectors.refused.count > 8)
    for vector in vectors.refused {
      let payload = try #require([UInt8](hexadecimal: vector.payload))
      #expect(payload.withUnsafeBytes { ErasureList(written: $0) } == nil, "\(vector.name)")
    }
    let whole = try #require([UInt8](hexadecimal: vectors.lists[2].payload))
    for count in 0..<whole.count {
      #expect(whole.prefix(count).withUnsafeBytes { ErasureList(written: $0) } == nil)
    }
  }
}
