internal import Crypto
internal import Foundation

extension VersionVector {
  /// The SHA-256 over all heads' full IDs in ascending order: 32 bytes, equal for equal logs.
  package var digest: [UInt8] {
    var hash = SHA256()
    for head in heads { head.id.withUnsafeBytes { hash.update(bufferPointer: $0) } }
    return Array(hash.finalize())
  }
}
