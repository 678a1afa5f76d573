import CarillonModel
import Crypto
import Testing

/// Both ways to compute a digest, compared with the standard's examples and with swift-crypto.
struct SHA2Tests {
  /// The ways that this processor supports; swift-crypto is tried even if it is not the best.
  private static let methods = Set([SHA2.Method.best, .library])

  /// The examples of NIST: a message, and its digest.
  private static let examples: [(message: [UInt8], digest: String)] = [
    ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ([0xbd], "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"),
    (
      [0xc9, 0x8c, 0x8e, 0x55],
      "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"
    ),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      [UInt8](repeating: 0x61, count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  /// Every length up to 300, and those around the ends of later blocks.
  private static let lengths =
    Array(0...300) + [16, 64, 256].flatMap { blocks in (-10...1).map { 64 * blocks + $0 } }

  private static let bytes = (0..<16_500).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }

  @Test("The examples of the standard have their digests", arguments: methods)
  func standard(_ method: SHA2.Method) {
    for example in Self.examples {
      let digest = example.message.withUnsafeBytes { SHA2.digest(of: $0, by: method) }
      #expect(Self.text(digest) == example.digest)
    }
  }

  @Test("A digest is that of swift-crypto, at each length and alignment", arguments: methods)
  func lengths(_ method: SHA2.Method) {
    for length in Self.lengths {
      Self.bytes.withUnsafeBytes { bytes in
        let message = UnsafeRawBufferPointer(rebasing: bytes[(length % 5)...].prefix(length))
        #expect(
          Self.text(SHA2.digest(of: message, by: method)) == Self.text(of: message), "\(length)")
      }
    }
  }

  @Test("Two digests at once are those of each message alone", arguments: methods)
  func pairs(_ method: SHA2.Method) {
    for length in Self.lengths {
      Self.bytes.withUnsafeBytes { bytes in
        let first = UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
        let second = UnsafeRawBufferPointer(rebasing: bytes.suffix(300 - min(length, 300)))
        let digests = SHA2.digests(of: first, second, by: method)
        #expect(Self.text(digests.0) == Self.text(of: first), "\(length)")
        #expect(Self.text(digests.1) == Self.text(of: second), "\(length)")
      }
    }
  }

  @Test("The digests of a list are those of its payloads", arguments: 0...5)
  func lists(count: Int) {
    let payloads = (0..<count).map { Array(Self.bytes.prefix(1 + 100 * $0)) }
    #expect(PayloadDigest.digests(of: payloads) == payloads.map { PayloadDigest($0) })
    #expect(NewEvent.events(payloads) == payloads.map { NewEvent(payload: $0) })
  }

  @Test("A digest of pieces is that of the whole")
  func pieces() {
    var digest = ContentDigest()
    for start in stride(from: 0, to: 1_000, by: 7) {
      Self.bytes[start..<min(start + 7, 1_000)].withUnsafeBytes { digest.update($0) }
    }
    #expect(digest.finalize() == Array(SHA256.hash(data: Self.bytes.prefix(1_000))))
  }

  private static func text(_ digest: SHA2.Digest) -> String {
    withUnsafeBytes(of: digest) { Array($0).hexadecimal }
  }

  private static func text(of message: UnsafeRawBufferPointer) -> String {
    Array(SHA256.hash(data: Array(message))).hexadecimal
  }
}
