internal import CarillonLog
internal import CarillonModel

/// The pages of one snapshot of LMDB's data file, as they are in memory.
///
/// LMDB trusts its pages: if an offset is damaged on disk, LMDB reads outside the page. This module
/// therefore reads through a mapping of its own and checks every number that it follows. LMDB
/// itself runs the transactions and writes. The layout is that of LMDB's data format 1, which has
/// not changed since 2011 and which is checked at open.
struct PageMap {
  let base: UnsafeRawPointer
  /// The size of a page in bytes, a power of two from 512 to 65,536.
  let pageSize: Int
  /// The number of pages in the snapshot.
  ///
  /// The file contains all of them.
  let pageCount: UInt64

  /// Returns the address of a page's first byte.
  func address(of number: UInt64) throws(LogError) -> UnsafeRawPointer {
    guard number >= 2, number < pageCount else {
      throw .corrupt("there is a reference to page \(number), but the file has \(pageCount) pages")
    }
    return base + Int(number) * pageSize
  }

  /// Returns the bytes of a value of `count` bytes that starts on an overflow page.
  func overflow(at number: UInt64, count: Int) throws(LogError) -> UnsafeRawBufferPointer {
    let start = try address(of: number)
    let pages = UInt64(start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    guard start.loadUnaligned(as: UInt64.self) == number,
      start.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == PageFlag.overflow,
      pages >= 1, pages <= pageCount - number,
      count <= Int(pages) * pageSize - PageMap.headerByteCount
    else { throw .corrupt("page \(number) is not an overflow page of \(count) bytes") }
    return UnsafeRawBufferPointer(start: start + PageMap.headerByteCount, count: count)
  }

  /// The header: page number 8, padding 2, flags 2, then lower and upper bound 2 + 2 or overflow
  /// count 4.
  static let headerByteCount = 16
}

/// The kinds of pages, with LMDB's names.
enum PageFlag {
  static let branch: UInt16 = 0x01  // P_BRANCH
  static let leaf: UInt16 = 0x02  // P_LEAF
  static let overflow: UInt16 = 0x04  // P_OVERFLOW
  static let meta: UInt16 = 0x08  // P_META
}

/// The kinds of cells, with LMDB's names.
enum CellFlag {
  static let overflow: UInt16 = 0x01  // F_BIGDATA
  static let database: UInt16 = 0x02  // F_SUBDATA
}

/// A page of a tree, with a checked header.
struct TreePage {
  let start: UnsafeRawPointer
  let number: UInt64
  let pageSize: Int
  let isBranch: Bool
  /// The number of cells, at least 1.
  let count: Int

  init(_ map: PageMap, _ number: UInt64) throws(LogError) {
    try self.init(at: map.address(of: number), number, pageSize: map.pageSize)
  }

  init(at start: UnsafeRawPointer, _ number: UInt64, pageSize: Int) throws(LogError) {
    self.start = start
    self.number = number
    self.pageSize = pageSize
    let flags = start.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    let lower = Int(start.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    let upper = Int(start.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
    isBranch = flags == PageFlag.branch
    count = (lower - PageMap.headerByteCount) / 2
    guard start.loadUnaligned(as: UInt64.self) == number,
      isBranch || flags == PageFlag.leaf,
      lower.isMultiple(of: 2), lower <= upper, upper <= pageSize, count >= 1
    else { throw .corrupt("page \(number) is not a page of a tree") }
  }

  /// Returns the cell at an index below ``count``, after checking its bounds.
  @inline(__always)
  func cell(_ index: Int) throws(LogError) -> TreeCell {
    let entry = PageMap.headerByteCount + 2 * index
    let offset = Int(start.loadUnaligned(fromByteOffset: entry, as: UInt16.self))
    guard index < count, offset >= PageMap.headerByteCount, offset + 8 <= pageSize else {
      throw .corrupt("cell \(index) of page \(number) starts outside of the page")
    }
    let cell = TreeCell(start: start + offset)
    let stored = isBranch ? 0 : cell.storedByteCount
    guard offset + 8 + cell.keyByteCount + stored <= pageSize else {
      throw .corrupt("cell \(index) of page \(number) ends outside of the page")
    }
    return cell
  }
}

/// One cell of a page: a key, and either the number of a child page or a value.
struct TreeCell {
  let start: UnsafeRawPointer

  private func word(_ offset: Int) -> UInt16 {
    start.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
  }

  var flags: UInt16 { word(4) }
  var keyByteCount: Int { Int(word(6)) }
  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + 8, count: keyByteCount)
  }

  /// In a cell of a branch page: the page below it.
  var child: UInt64 { UInt64(word(0)) | UInt64(word(2)) << 16 | UInt64(word(4)) << 32 }

  /// In a cell of a leaf: the size of its value in bytes, on this page or on others.
  var valueByteCount: Int { Int(word(0)) | Int(word(2)) << 16 }

  /// In a cell of a leaf: the number of bytes after the key, which are the value or the number of
  /// its overflow page.
  var storedByteCount: Int { flags & CellFlag.overflow != 0 ? 8 : valueByteCount }

  /// In a cell of a leaf: the first overflow page of its value, or nil if it has none.
  var firstOverflowPage: UInt64? {
    guard flags & CellFlag.overflow != 0 else { return nil }
    return (start + 8 + keyByteCount).loadUnaligned(as: UInt64.self)
  }

  /// In a cell of a leaf: the overflow pages of its value, or nil if it has none.
  func overflow(_ map: PageMap) throws(LogError) -> (first: UInt64, count: UInt64)? {
    guard let first = firstOverflowPage else { return nil }
    let page = try map.address(of: first)
    return (first, UInt64(page.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
  }

  /// Returns the value of a leaf's cell.
  @inline(__always)
  func value(_ map: PageMap) throws(LogError) -> UnsafeRawBufferPointer {
    let data = start + 8 + keyByteCount
    guard flags & CellFlag.overflow == 0 else {
      return try map.overflow(at: data.loadUnaligned(as: UInt64.self), count: valueByteCount)
    }
    return UnsafeRawBufferPointer(start: data, count: valueByteCount)
  }
}
