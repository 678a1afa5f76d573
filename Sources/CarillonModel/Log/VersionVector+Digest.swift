extension VersionVector {
  /// The SHA-256 over all heads' full IDs in ascending order: 32 bytes, equal for equal logs.
  package var digest: [UInt8] {
    let digest = SHA2.digest(of: heads.flatMap(\.id.bytes))
    return withUnsafeBytes(of: digest) { Array($0) }
  }
}
