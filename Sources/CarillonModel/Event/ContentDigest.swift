internal import Crypto

/// The SHA-256 of bytes that come in pieces: what tells whether a file was imported before.
package struct ContentDigest {
  private var hash = SHA256()

  /// Digests nothing yet.
  package init() {}

  /// Digests one more piece.
  package mutating func update(_ piece: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: piece)
  }

  /// The 32 bytes.
  package func finalize() -> [UInt8] { Array(hash.finalize()) }
}
