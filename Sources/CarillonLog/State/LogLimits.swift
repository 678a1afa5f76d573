/// The limits of every log.
package enum LogLimits {
  /// The greatest sequence and position: half of the range, so that a sum of two cannot overflow.
  package static let maxCounter: UInt64 = 1 << 62
  /// The greatest branch index; the bit above it is the storage's own.
  package static let maxBranchIndex: UInt32 = 0x7FFF_FFFF
}
