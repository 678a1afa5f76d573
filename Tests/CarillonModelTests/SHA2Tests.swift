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

  @Test("The IDs of a list are those of one event after the other", arguments: methods)
  func lists(_ method: SHA2.Method) {
    let root = EventChain.root(of: .random())
    let wallClock = Instant(milliseconds: 1_800_000_000_000)
    // Payloads of one block next to those of many, in both orders, and lists of odd lengths.
    for count in [0, 1, 2, 3, 8, 9, 302] {
      let events = (0..<count).map { index in
        let length = index.isMultiple(of: 3) ? index : 302 - index
        return NewEvent(
          payload: Array(Self.bytes.prefix(length)), dated: Array(Self.bytes.prefix(length + 7)))
      }
      // From the second half on, the other form is written.
      let timestamps = (0..<count).map {
        Timestamp(milliseconds: wallClock.milliseconds + ($0 < count / 2 ? 0 : Int64($0)))
      }
      var (expected, previous): ([EventID], EventID) = ([], root)
      for (index, event) in events.enumerated() {
        previous = EventChain.id(
          sequence: SequenceNumber(rawValue: 5 + UInt64(index)), timestamp: timestamps[index],
          previous: previous,
          payload: event.form(under: timestamps[index], wallClock: wallClock).digest)
        expected.append(previous)
      }
      let ids = EventChain.ids(
        of: events, at: timestamps, wallClock: wallClock, from: SequenceNumber(rawValue: 5),
        after: root, by: method)
      #expect(ids == expected, "\(count)")
    }
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
