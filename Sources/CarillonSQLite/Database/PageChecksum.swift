/// The checksum in the last eight bytes of every page of a projection file.
///
/// It covers the other bytes and the page's number, so a page in the wrong place does not match
/// either. Each step is a bijection: damage within one word of eight bytes is always detected, and
/// other damage stays undetected with a probability of 2⁻⁶⁴. The checksum is no protection against
/// deliberate changes.
enum PageChecksum {
  /// The size of a page in bytes.
  static let pageByteCount = 4_096
  /// The number of bytes at the end of a page that SQLite reserves for the checksum.
  static let byteCount = 8

  /// Computes the checksum of a page.
  ///
  /// - Parameters:
  ///   - page: ``pageByteCount`` bytes, aligned to 8.
  ///   - number: The page's number, starting at 1.
  static func of(_ page: UnsafeRawPointer, number: UInt64) -> UInt64 {
    // Four lanes, so that the processor works on four words at a time.
    var (first, second, third, fourth) = (number, number, number, number)
    var offset = 0
    while offset < lanesEnd {
      first = mix(first, page, offset)
      second = mix(second, page, offset + 8)
      third = mix(third, page, offset + 16)
      fourth = mix(fourth, page, offset + 24)
      offset += 32
    }
    first = mix(first, page, offset)
    second = mix(second, page, offset + 8)
    third = mix(third, page, offset + 16)
    return mix(mix(mix(first, second), third), fourth)
  }

  /// Returns the checksum that is stored in a page.
  static func held(by page: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: page.load(fromByteOffset: contentByteCount, as: UInt64.self))
  }

  /// Writes a page's checksum into it.
  static func write(into page: UnsafeMutableRawPointer, number: UInt64) {
    page.storeBytes(
      of: of(page, number: number).littleEndian, toByteOffset: contentByteCount, as: UInt64.self)
  }

  /// Whether a page matches its checksum or was never written.
  ///
  /// - Parameter page: A page as for ``of(_:number:)``.
  static func isIntact(_ page: UnsafeMutableRawBufferPointer, number: UInt64) -> Bool {
    guard let start = page.baseAddress else { return false }
    return held(by: start) == of(start, number: number) || page.allSatisfy { $0 == 0 }
  }

  private static let contentByteCount = pageByteCount - byteCount
  /// The offset of the last three words, which do not fill all four lanes.
  private static let lanesEnd = contentByteCount / 32 * 32

  private static func mix(_ lane: UInt64, _ page: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    mix(lane, UInt64(littleEndian: page.load(fromByteOffset: offset, as: UInt64.self)))
  }

  /// Adds a word to a checksum.
  static func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }
}
