import CarillonModel

/// The name of one of a store's keys: its number and a check of the key itself.
///
/// Two devices that start an epoch at the same time give it the same number, and the check tells
/// their keys apart. Epochs are ordered by number, then by check.
package struct KeyEpoch: Hashable, Sendable {
  /// 1 for the first key of a store, and one more than the greatest known for each later one.
  package let number: UInt32
  /// 4 bytes that are derived from the key.
  package let check: UInt32

  /// The number of bytes.
  package static let byteCount = 8

  init(number: UInt32, check: UInt32) {
    (self.number, self.check) = (number, check)
  }

  /// Reads 8 bytes; nil for another count.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(number: UInt32(value >> 32), check: UInt32(truncatingIfNeeded: value))
  }

  /// The number and the check, big-endian.
  package var bytes: [UInt8] { number.bigEndianBytes + check.bigEndianBytes }
}

extension KeyEpoch: Comparable {
  /// Compares the numbers, then the checks.
  package static func < (left: Self, right: Self) -> Bool {
    (left.number, left.check) < (right.number, right.check)
  }
}

extension KeyEpoch: CustomStringConvertible {
  /// The number, a hyphen and the check in hexadecimal digits, such as `2-9f01c2aa`.
  package var description: String { "\(number)-\(check.bigEndianBytes.hexadecimal)" }
}
