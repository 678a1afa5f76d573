import CarillonModel
import Crypto
import Testing

struct StateDigestTests {
  private func digest(_ build: (inout StateHasher) -> Void) -> StateDigest {
    var hasher = StateHasher()
    build(&hasher)
    return hasher.finalize()
  }

  private func text(_ value: String, _ hasher: inout StateHasher) {
    hasher.text(Array(value.utf8).span.bytes)
  }

  @Test("Different values have different digests")
  func injective() {
    let digests = [
      digest { _ in },
      digest { $0.table("a") },
      digest { $0.table("b") },
      digest { $0.row() },
      digest { $0.null() },
      digest { $0.integer(0) },
      digest { $0.integer(1) },
      digest { text("", &$0) },
      digest { text("ab", &$0) },
      digest {
        text("a", &$0)
        text("b", &$0)
      },
      digest { $0.blob(Array("ab".utf8).span.bytes) },
    ]
    #expect(Set(digests).count == digests.count)
  }

  @Test("A digest is the SHA-256 of the documented bytes, also if they are hashed in parts")
  func format() {
    let text = [UInt8](repeating: 0x78, count: 20_000)
    let rows = digest { hasher in
      for number in 0..<4 as Range<Int64> {
        hasher.row()
        hasher.text(text.span.bytes)
        hasher.integer(number)
      }
    }
    var bytes = Array("carillon.state.v\(StateDigest.version)".utf8)
    for number in 0..<4 as Range<UInt8> {
      bytes += [0x52, 0x03, 0, 0, 0x4E, 0x20] + text
      bytes += [0x01, 0, 0, 0, 0, 0, 0, 0, number]
    }
    #expect(rows == StateDigest(bytes: Array(SHA256.hash(data: bytes))))
  }

  @Test("A digest's text parses back, and invalid text is rejected")
  func text() {
    let value = digest { $0.integer(1) }
    #expect(StateDigest(value.description) == value)
    #expect(value.description.count == 64)
    #expect(StateDigest(String(value.description.dropLast(2))) == nil)
    #expect(StateDigest(String(repeating: "z", count: 64)) == nil)
    #expect(StateDigest(bytes: []) == nil)
  }
}
