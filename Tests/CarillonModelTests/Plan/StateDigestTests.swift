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

  @Test("Long input is hashed in parts")
  func parts() {
    let long = String(repeating: "x", count: 100_000)
    let one = digest {
      text(long, &$0)
      $0.integer(7)
    }
    let other = digest {
      text(long, &$0)
      $0.integer(7)
    }
    #expect(one == other)
    #expect(one != digest { text(long, &$0) })
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
