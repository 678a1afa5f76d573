internal import CarillonModel
internal import Foundation

/// One of the two pages at the start of LMDB's data file, which commits write alternately.
///
/// Format, after the page's header of 16 bytes: magic 4, data version 4, address 8, map size 8, the
/// descriptions of the free list and of the main database 48 each, last page 8, transaction 8.
/// Integers are in the machine's byte order.
struct MetaPage {
  /// The page's first bytes when it was read, so that a later commit does not change them.
  private let bytes: [UInt8]

  /// The number of bytes that are read from the page.
  static let byteCount = 152

  /// LMDB's magic number.
  private static let magic: UInt32 = 0xBEEF_C0DE
  /// The version of LMDB's data format that this module can read.
  static let dataVersion: UInt32 = 1

  /// Reads the page at an offset; nil if the file ends before its end.
  init?(of descriptor: Int32, at offset: Int) {
    var count = 0
    bytes = [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, initializedCount in
      count = pread(descriptor, buffer.baseAddress, Self.byteCount, off_t(offset))
      initializedCount = max(0, count)
    }
    guard count == Self.byteCount else { return nil }
  }

  /// Writes the bytes back if the page has changed.
  func restore(in descriptor: Int32, at offset: Int) throws(StorageFailure) {
    guard MetaPage(of: descriptor, at: offset)?.bytes != bytes else { return }
    guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
      throw StorageFailure(code: errno, action: "cannot undo a commit")
    }
  }

  private func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
  }

  /// 0 or 1 if ``problem(number:)`` finds nothing.
  var number: UInt64 { load(0, as: UInt64.self) }
  var version: UInt32 { load(20, as: UInt32.self) }
  var pageSize: Int { Int(load(40, as: UInt32.self)) }
  var lastPage: UInt64 { load(136, as: UInt64.self) }
  var transaction: UInt64 { load(144, as: UInt64.self) }

  /// Whether LMDB wrote the page, at least in part.
  var isOfLMDB: Bool { load(16, as: UInt32.self) == Self.magic }

  /// Returns a description of what is wrong with the page, or nil.
  ///
  /// - Parameter number: The page's number, 0 or 1.
  func problem(number: UInt64) -> String? {
    guard bytes.count == Self.byteCount, load(16, as: UInt32.self) == Self.magic,
      load(10, as: UInt16.self) & PageFlag.meta != 0, self.number == number
    else { return "page \(number) does not start like a file of LMDB" }
    guard version == Self.dataVersion else { return nil }
    guard pageSize.nonzeroBitCount == 1, (512...65_536).contains(pageSize) else {
      return "the page size of \(pageSize) bytes is invalid"
    }
    guard lastPage >= 1, lastPage < 1 << 40 else {
      return "the number of the last page, \(lastPage), is invalid"
    }
    guard transaction == 0 || transaction & 1 == number else {
      return "page \(number) names transaction \(transaction)"
    }
    return nil
  }

  /// The database that lists LMDB's free pages.
  func freeList(_ map: PageMap) throws(LogError) -> Tree { try tree(40, map) }

  /// The database that contains the descriptions of the others.
  func main(_ map: PageMap) throws(LogError) -> Tree { try tree(88, map) }

  private func tree(_ offset: Int, _ map: PageMap) throws(LogError) -> Tree {
    try Tree(
      map: map, flags: load(offset + 4, as: UInt16.self), depth: load(offset + 6, as: UInt16.self),
      overflowPageCount: load(offset + 24, as: UInt64.self),
      root: load(offset + 40, as: UInt64.self))
  }
}
