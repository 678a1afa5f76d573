/// The limits of every log.
package enum LogLimits {
  /// The upper bound of sequences and positions: 2^62, so that a sum of two cannot overflow.
  package static let maxCounter: UInt64 = 1 << 62
  /// The greatest branch index.
  ///
  /// The bit above it is available to the storage.
  package static let maxBranchIndex: UInt32 = 0x7FFF_FFFF
}
