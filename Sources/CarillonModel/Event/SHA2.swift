internal import CHash
internal import Crypto

/// SHA-256: every ID and digest in this project is one.
///
/// Computed by the processor's own instructions, which avoids most of the cost of a short message.
/// A processor without them uses swift-crypto.
package enum SHA2 {
  /// A digest: its 32 bytes in memory order, not converted to the machine's byte order.
  package typealias Digest = EventID.Words

  /// How digests are computed.
  package enum Method: Sendable {
    case instructions, library

    /// The faster method that this processor supports.
    package static let best = chash_is_available() ? instructions : library
  }

  /// Returns the digest of bytes.
  ///
  /// - Complexity: O(bytes); about 0.13 µs for 200 bytes.
  package static func digest(
    of bytes: UnsafeRawBufferPointer, by method: Method = .best
  ) -> Digest {
    switch method {
    case .instructions:
      var digest: Digest = (0, 0, 0, 0)
      chash_sha256(bytes.baseAddress, bytes.count, &digest)
      return digest
    case .library:
      var hash = SHA256()
      hash.update(bufferPointer: bytes)
      return hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: Digest.self) }
    }
  }

  /// Returns the digest of an array.
  package static func digest(of bytes: [UInt8]) -> Digest {
    bytes.withUnsafeBytes { digest(of: $0) }
  }
}
