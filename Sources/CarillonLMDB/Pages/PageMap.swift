internal import CarillonModel

/// The pages of one snapshot of LMDB's data file, as they lie in memory.
///
/// LMDB itself trusts its pages: an offset damaged on disk makes it read outside them. So this
/// module reads through a mapping of its own and checks every number that it follows; LMDB does
/// the transactions and the writing. The layout is that of LMDB's data format 1, which has not
/// changed since 2011 and which is checked at open.
struct PageMap {
  let base: UnsafeRawPointer
  /// In bytes; a power of two, 512 to 65,536.
  let pageSize: Int
  /// How many pages the snapshot has; all of them are backed by the file.
  let pageCount: UInt64

  /// The address of a page's first byte.
  func address(of number: UInt64) throws(LogError) -> UnsafeRawPointer {
    guard number >= 2, number < pageCount else {
      throw .corrupt("page \(number) of \(pageCount) is named")
    }
    return base + Int(number) * pageSize
  }

  /// The bytes of a value of `count` bytes that begins on a page of its own.
  func overflow(at number: UInt64, count: Int) throws(LogError) -> UnsafeRawBufferPointer {
    let start = try address(of: number)
    let pages = UInt64(start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    guard start.loadUnaligned(as: UInt64.self) == number,
      start.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == PageFlag.overflow,
      pages >= 1, pages <= pageCount - number,
      count <= Int(pages) * pageSize - PageMap.headerByteCount
    else { throw .corrupt("page \(number) is no overflow page of \(count) bytes") }
    return UnsafeRawBufferPointer(start: start + PageMap.headerByteCount, count: count)
  }

  /// Page number 8, padding 2, flags 2, then lower and upper bound 2 + 2 or overflow count 4.
  static let headerByteCount = 16
}

/// The kinds of pages, as LMDB names them.
enum PageFlag {
  static let branch: UInt16 = 0x01  // P_BRANCH
  static let leaf: UInt16 = 0x02  // P_LEAF
  static let overflow: UInt16 = 0x04  // P_OVERFLOW
  static let meta: UInt16 = 0x08  // P_META
}

/// The kinds of cells, as LMDB names them.
enum CellFlag {
  static let overflow: UInt16 = 0x01  // F_BIGDATA
  static let database: UInt16 = 0x02  // F_SUBDATA
}

/// A page of a tree whose header was checked.
struct TreePage {
  let start: UnsafeRawPointer
  let number: UInt64
  let pageSize: Int
  let isBranch: Bool
  /// The number of cells, at least 1.
  let count: Int

  init(_ map: PageMap, _ number: UInt64) throws(LogError) {
    start = try map.address(of: number)
    self.number = number
    pageSize = map.pageSize
    let flags = start.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    let lower = Int(start.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    let upper = Int(start.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
    isBranch = flags == PageFlag.branch
    count = (lower - PageMap.headerByteCount) / 2
    guard start.loadUnaligned(as: UInt64.self) == number,
      isBranch || flags == PageFlag.leaf,
      lower.isMultiple(of: 2), lower <= upper, upper <= pageSize, count >= 1
    else { throw .corrupt("page \(number) is no page of a tree") }
  }

  /// The cell at an index below ``count``, its bounds checked.
  @inline(__always)
  func cell(_ index: Int) throws(LogError) -> TreeCell {
    let schedule = PageMap.headerByteCount + 2 * index
    let offset = Int(start.loadUnaligned(fromByteOffset: schedule, as: UInt16.self))
    guard index < count, offset >= PageMap.headerByteCount, offset + 8 <= pageSize else {
      throw .corrupt("cell \(index) of page \(number) lies outside it")
    }
    let cell = TreeCell(start: start + offset)
    let stored = isBranch ? 0 : cell.storedByteCount
    guard offset + 8 + cell.keyByteCount + stored <= pageSize else {
      throw .corrupt("cell \(index) of page \(number) ends outside it")
    }
    return cell
  }
}

/// One cell of a page: a key, and a child's number or a value.
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

  /// Of a branch page's cell: the page below it.
  var child: UInt64 { UInt64(word(0)) | UInt64(word(2)) << 16 | UInt64(word(4)) << 32 }

  /// Of a leaf's cell: how long its value is, wherever it lies.
  var valueByteCount: Int { Int(word(0)) | Int(word(2)) << 16 }

  /// Of a leaf's cell: the bytes behind the key, the value or the number of its overflow page.
  var storedByteCount: Int { flags & CellFlag.overflow != 0 ? 8 : valueByteCount }

  /// Of a leaf's cell: the first of the pages of their own on which its value lies, or nil.
  var firstOverflowPage: UInt64? {
    guard flags & CellFlag.overflow != 0 else { return nil }
    return (start + 8 + keyByteCount).loadUnaligned(as: UInt64.self)
  }

  /// Of a leaf's cell: the pages of their own on which its value lies, or nil.
  func overflow(_ map: PageMap) throws(LogError) -> (first: UInt64, count: UInt64)? {
    guard let first = firstOverflowPage else { return nil }
    let page = try map.address(of: first)
    return (first, UInt64(page.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
  }

  /// The value of a leaf's cell.
  @inline(__always)
  func value(_ map: PageMap) throws(LogError) -> UnsafeRawBufferPointer {
    let data = start + 8 + keyByteCount
    guard flags & CellFlag.overflow == 0 else {
      return try map.overflow(at: data.loadUnaligned(as: UInt64.self), count: valueByteCount)
    }
    return UnsafeRawBufferPointer(start: data, count: valueByteCount)
  }
}
