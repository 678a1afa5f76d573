internal import CarillonModel

/// A row of the database `closings`: an event that closes branches, and the places of the events
/// that it names.
///
/// The event's payload has the same information as IDs. A damaged row closes nothing; the only
/// effect is that some heads take up space in the version vector again.
enum ClosingRow {
  private static let placeByteCount = 12

  /// Returns the bytes of a closing's value.
  static func value(of closing: Branch.Closing, on branch: UInt32) -> [UInt8] {
    let own = Branch.Place(branch: BranchIndex(rawValue: branch), sequence: closing.sequence)
    let content = ([own] + closing.closed).flatMap {
      $0.branch.rawValue.bigEndianBytes + $0.sequence.rawValue.bigEndianBytes
    }
    return content + checksum(of: content, position: closing.position.rawValue)
  }

  /// Returns a closing and its branch; nil if the row has changed since it was written.
  static func closing(
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) -> (closing: Branch.Closing, branch: Int)? {
    let count = value.count - LogFormat.checksumByteCount
    guard key.count == 8, count >= 2 * placeByteCount, count.isMultiple(of: placeByteCount) else {
      return nil
    }
    let position = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    let content = Array(value[..<count])
    guard value[count...].elementsEqual(checksum(of: content, position: position)) else {
      return nil
    }
    let places = stride(from: 0, to: count, by: placeByteCount).map { offset in
      Branch.Place(
        branch: BranchIndex(rawValue: UInt32(bigEndianBytes: Array(content[offset..<offset + 4]))),
        sequence: SequenceNumber(
          rawValue: UInt64(bigEndianBytes: Array(content[offset + 4..<offset + placeByteCount]))))
    }
    let closing = Branch.Closing(
      position: Position(rawValue: position), sequence: places[0].sequence,
      closed: Array(places.dropFirst()))
    return (closing, Int(places[0].branch.rawValue))
  }

  private static func checksum(of content: [UInt8], position: UInt64) -> [UInt8] {
    LogFormat.checksum(of: position.bigEndianBytes + content)
  }
}
