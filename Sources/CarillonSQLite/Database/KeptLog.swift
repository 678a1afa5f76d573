internal import Foundation

/// A short write-ahead log that stays next to its database when the last connection closes.
///
/// SQLite would move its pages into the database and remove it, which waits for the disk twice, and
/// creating the next log waits twice more.
///
/// The log ends in a seal, which SQLite ignores and the next commit overwrites. It covers the
/// checksums that the database holds in the pages that the log replaces. So the log of a database
/// is not applied to another one that was put in its place. A seal counts only if it matches the
/// log: after a power cut, or after a commit in the middle of a damaged log, it does not.
struct KeptLog {
  /// The path of the log.
  let path: UnsafePointer<CChar>
  /// Reads the checksum that a page of the database holds; 0 for a page that cannot be read.
  let heldChecksum: (_ number: UInt64) -> UInt64

  /// The size up to which a log stays, about 127 pages.
  ///
  /// The next process to open the database reads all of it.
  static let byteCount = 1 << 19

  private static let headerByteCount = 32
  private static let frameByteCount = 24 + PageChecksum.pageByteCount

  /// The end of a kept log.
  struct Seal: Equatable {
    private var mark: UInt64 = 0x6B65_7074_206C_6F67
    /// A checksum over the headers of the log's pages.
    fileprivate var headers: UInt64 = 0
    /// A checksum over the checksums of the replaced pages.
    fileprivate var pages: UInt64 = 0
  }

  /// Seals the log, which no connection may use.
  ///
  /// - Parameter before: The seal with which the database was opened, if the database was not
  ///   written since. If the log still has it, the log did not change.
  /// - Returns: False if the log is to be removed: it is empty or long, or cannot be sealed.
  func seal(unless before: Seal?) -> Bool {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard let count = Self.frameCount(descriptor), count > 0 else { return false }
    if let before, Self.heldSeal(descriptor, count) == before { return true }
    guard var seal = seal(descriptor, count) else { return false }
    let end = off_t(Self.headerByteCount + count * Self.frameByteCount)
    let size = MemoryLayout<Seal>.size
    return pwrite(descriptor, &seal, size, end) == size
      && ftruncate(descriptor, end + off_t(size)) == 0
  }

  /// Whether the log has no seal that counts, or one that matches the database.
  ///
  /// - Parameter seal: Receives the seal that matches.
  func belongsToDatabase(_ seal: inout Seal?) -> Bool {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    guard let count = Self.frameCount(descriptor),
      let found = Self.heldSeal(descriptor, count), var expected = self.seal(descriptor, count)
    else { return true }
    if found == expected { seal = found }
    expected.pages = found.pages
    return seal != nil || found != expected
  }

  /// Reads the seal after a number of pages; nil if the log is shorter.
  private static func heldSeal(_ descriptor: Int32, _ count: Int) -> Seal? {
    var seal = Seal()
    let (size, end) = (MemoryLayout<Seal>.size, headerByteCount + count * frameByteCount)
    return pread(descriptor, &seal, size, off_t(end)) == size ? seal : nil
  }

  /// The number of pages in a log that is short enough; nil for any other log.
  private static func frameCount(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size <= byteCount else { return nil }
    return max(0, Int(status.st_size) - headerByteCount) / frameByteCount
  }

  private func seal(_ descriptor: Int32, _ count: Int) -> Seal? {
    var seal = Seal()
    for index in 0..<count {
      var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
      let offset = off_t(Self.headerByteCount + index * Self.frameByteCount)
      guard pread(descriptor, &words, 24, offset) == 24 else { return nil }
      for word in [words.0, words.1, words.2] {
        seal.headers = PageChecksum.mix(seal.headers, word)
      }
      // The number of the page is in the first four bytes.
      let number = UInt64(bigEndian: words.0) >> 32
      // After a power cut, bytes that were not written are 0, which is not the number of a page.
      if number > 0 { seal.pages = PageChecksum.mix(seal.pages, heldChecksum(number)) }
    }
    return seal
  }
}
