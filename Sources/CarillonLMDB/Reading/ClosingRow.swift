internal import CarillonModel

/// A row of the database `closings`: an event that closes branches, and where the events stand that
/// it names.
///
/// The payload of the event says the same by IDs. A row that is damaged closes nothing: heads that
/// are in the version vector once more cost bytes and nothing else.
enum ClosingRow {
  private static let placeByteCount = 12

  /// The bytes of a closing's value.
  static func value(of closing: Branch.Closing, on branch: UInt32) -> [UInt8] {
    let own = Branch.Place(branch: BranchIndex(rawValue: branch), sequence: closing.sequence)
    let content = ([own] + closing.closed).flatMap {
      $0.branch.rawValue.bigEndianBytes + $0.sequence.rawValue.bigEndianBytes
    }
    return content + checksum(of: content, position: closing.position.rawValue)
  }

  /// A closing and its branch; nil where the row is not as it was written.
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
