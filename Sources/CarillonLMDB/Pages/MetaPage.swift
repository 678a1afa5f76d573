internal import CarillonModel
internal import Foundation

/// One of the two pages at the start of LMDB's data file; commits write them in turn.
///
/// Shape, behind the page's header of 16 bytes: magic 4, data version 4, address 8, map size 8, the
/// descriptions of the free list and of the main database 48 each, last page 8, transaction 8.
/// Integers are in the machine's byte order.
struct MetaPage {
  /// The page's first bytes as they were read: a commit in between does not change them.
  private let bytes: [UInt8]

  /// How many bytes of the page are read.
  static let byteCount = 152

  /// LMDB's magic number.
  private static let magic: UInt32 = 0xBEEF_C0DE
  /// The version of LMDB's data format that this module can read.
  static let dataVersion: UInt32 = 1

  /// Reads the bytes of a page that begins at an offset; nil where the file ends before.
  init?(of descriptor: Int32, at offset: Int) {
    var count = 0
    bytes = [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, initializedCount in
      count = pread(descriptor, buffer.baseAddress, Self.byteCount, off_t(offset))
      initializedCount = max(0, count)
    }
    guard count == Self.byteCount else { return nil }
  }

  /// Writes the bytes back, where the page has others now.
  func restore(in descriptor: Int32, at offset: Int) throws(StorageFailure) {
    guard MetaPage(of: descriptor, at: offset)?.bytes != bytes else { return }
    guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
      throw StorageFailure(code: errno, action: "Cannot undo a commit")
    }
  }

  private func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
  }

  /// 0 or 1, where ``problem(number:)`` finds nothing.
  var number: UInt64 { load(0, as: UInt64.self) }
  var version: UInt32 { load(20, as: UInt32.self) }
  var pageSize: Int { Int(load(40, as: UInt32.self)) }
  var lastPage: UInt64 { load(136, as: UInt64.self) }
  var transaction: UInt64 { load(144, as: UInt64.self) }

  /// Whether LMDB wrote it, or a part of it.
  var isOfLMDB: Bool { load(16, as: UInt32.self) == Self.magic }

  /// What is wrong with the page, or nil.
  ///
  /// `number` is 0 or 1.
  func problem(number: UInt64) -> String? {
    guard bytes.count == Self.byteCount, load(16, as: UInt32.self) == Self.magic,
      load(10, as: UInt16.self) & PageFlag.meta != 0, self.number == number
    else { return "page \(number) does not begin as LMDB's files do" }
    guard version == Self.dataVersion else { return nil }
    guard pageSize.nonzeroBitCount == 1, (512...65_536).contains(pageSize) else {
      return "a page size of \(pageSize) bytes is named"
    }
    guard lastPage >= 1, lastPage < 1 << 40 else { return "page \(lastPage) is named as the last" }
    guard transaction == 0 || transaction & 1 == number else {
      return "page \(number) names transaction \(transaction)"
    }
    return nil
  }

  /// The database in which LMDB keeps its free pages.
  func freeList(_ map: PageMap) throws(LogError) -> Tree { try tree(40, map) }

  /// The database that holds the descriptions of the others.
  func main(_ map: PageMap) throws(LogError) -> Tree { try tree(88, map) }

  private func tree(_ offset: Int, _ map: PageMap) throws(LogError) -> Tree {
    try Tree(
      map: map, flags: load(offset + 4, as: UInt16.self), depth: load(offset + 6, as: UInt16.self),
      overflowPageCount: load(offset + 24, as: UInt64.self),
      root: load(offset + 40, as: UInt64.self))
  }
}
