internal import Crypto

/// The SHA-256 of bytes that arrive in pieces.
///
/// For content that is too long to hold in memory; see ``SHA2`` for the rest.
package struct ContentDigest {
  private var hash = SHA256()

  /// Creates a digest of no bytes.
  package init() {}

  /// Adds a piece of the content.
  package mutating func update(_ piece: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: piece)
  }

  /// Returns the 32 bytes of the digest.
  package func finalize() -> [UInt8] { Array(hash.finalize()) }
}
