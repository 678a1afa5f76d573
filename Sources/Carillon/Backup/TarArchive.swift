import CarillonLog
import CarillonModel

/// The tar archive of a backup: ustar of POSIX.1-1988, regular files only.
enum TarArchive {
  private static let blockSize = 512

  /// Appends a file to an archive.
  static func append(_ source: FileSlice, named name: String, to archive: NewFile) throws {
    let byteCount = source.byteCount
    try archive.write(header(name, byteCount))
    while source.byteCount > 0 {
      try Task.checkCancellation()
      try archive.write(try source.read(Int(min(source.byteCount, 1 << 20))))
    }
    try archive.write([UInt8](repeating: 0, count: padding(after: byteCount)))
  }

  /// Ends an archive.
  static func end(_ archive: NewFile) throws {
    try archive.write([UInt8](repeating: 0, count: 2 * blockSize))
  }

  /// Returns the places of the files in an archive, by name.
  ///
  /// - Throws: `corrupt` if it is not an archive, or cut short.
  static func members(of archive: FileSlice) throws(LogError) -> [String: Range<Int64>] {
    var members: [String: Range<Int64>] = [:]
    let size = archive.byteCount
    func damaged(_ problem: String) -> LogError {
      LogError(
        code: .corrupt, message: "\(archive.path): \(problem) at byte \(size - archive.byteCount)",
        hint: "use another backup")
    }
    while archive.byteCount >= Int64(blockSize) {
      let header = try archive.read(blockSize)
      guard header.contains(where: { $0 != 0 }) else { return members }
      guard header[257..<262].elementsEqual("ustar".utf8),
        number(header[148..<156]) == checksum(of: header), let count = number(header[124..<136])
      else { throw damaged("no header of a tar archive") }
      let start = size - archive.byteCount
      guard count <= archive.byteCount else { throw damaged("the archive is cut short") }
      if header[156] == UInt8(ascii: "0") || header[156] == 0 {
        let name = String(decoding: header[..<100].prefix { $0 != 0 }, as: UTF8.self)
        members[name.hasPrefix("./") ? String(name.dropFirst(2)) : name] = start..<start + count
      }
      archive.skip(count + Int64(padding(after: count)))
    }
    throw damaged("the archive is cut short")
  }

  private static func header(_ name: String, _ byteCount: Int64) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: blockSize)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    func octal(_ value: Int64, _ width: Int) -> String {
      let digits = String(value, radix: 8)
      return String(repeating: "0", count: max(0, width - 1 - digits.count)) + digits
    }
    put(name, at: 0)
    put(octal(0o600, 8), at: 100)
    put(octal(0, 8), at: 108)
    put(octal(0, 8), at: 116)
    put(octal(byteCount, 12), at: 124)
    put(octal(0, 12), at: 136)
    put("0", at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    put(octal(Int64(checksum(of: header)), 7), at: 148)
    header[155] = UInt8(ascii: " ")
    return header
  }

  /// The sum of a header's bytes, its own field counted as blanks.
  private static func checksum(of header: [UInt8]) -> Int64 {
    header.enumerated().reduce(0) { sum, byte in
      sum + Int64((148..<156).contains(byte.offset) ? UInt8(ascii: " ") : byte.element)
    }
  }

  /// Reads an octal number.
  private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
    let digits = field.drop { $0 == UInt8(ascii: " ") }
      .prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    return Int64(String(decoding: digits, as: UTF8.self), radix: 8)
  }

  private static func padding(after count: Int64) -> Int {
    Int((Int64(blockSize) - count % Int64(blockSize)) % Int64(blockSize))
  }
}
