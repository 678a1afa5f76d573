package import CarillonModel

/// A stored row of an event that closes branches: its branch index u32 and sequence u64, then the
/// same two fields of each event that it names, then a checksum, 8 bytes, over the position and all
/// of these fields.
///
/// The event's payload has the same information as IDs. A damaged row closes nothing; the only
/// effect is that some heads take up space in the version vector again.
package struct ClosingRow {
  private let position: UInt64
  private let value: [UInt8]

  package init(position: UInt64, value: [UInt8]) {
    self.position = position
    self.value = value
  }

  private static let placeByteCount = 12

  /// Returns the bytes of a closing's value.
  package static func value(of closing: Branch.Closing, on branch: UInt32) -> [UInt8] {
    let own = Branch.Place(branch: BranchIndex(rawValue: branch), sequence: closing.sequence)
    let content = ([own] + closing.closed).flatMap {
      $0.branch.rawValue.bigEndianBytes + $0.sequence.rawValue.bigEndianBytes
    }
    return content + checksum(of: content, position: closing.position.rawValue)
  }

  /// Returns a closing and its branch; nil if the row has changed since it was written.
  var closing: (closing: Branch.Closing, branch: Int)? {
    let count = value.count - LogChecksum.byteCount
    guard count >= 2 * Self.placeByteCount, count.isMultiple(of: Self.placeByteCount) else {
      return nil
    }
    let content = Array(value[..<count])
    guard value[count...].elementsEqual(Self.checksum(of: content, position: position)) else {
      return nil
    }
    let places = stride(from: 0, to: count, by: Self.placeByteCount).map { offset in
      Branch.Place(
        branch: BranchIndex(rawValue: UInt32(bigEndianBytes: Array(content[offset..<offset + 4]))),
        sequence: SequenceNumber(
          rawValue: UInt64(
            bigEndianBytes: Array(content[offset + 4..<offset + Self.placeByteCount]))))
    }
    let closing = Branch.Closing(
      position: LogPosition(rawValue: position), sequence: places[0].sequence,
      closed: Array(places.dropFirst()))
    return (closing, Int(places[0].branch.rawValue))
  }

  private static func checksum(of content: [UInt8], position: UInt64) -> [UInt8] {
    LogChecksum.of(position.bigEndianBytes + content)
  }
}
