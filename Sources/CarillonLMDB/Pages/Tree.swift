internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// One database of a snapshot: a B-tree whose pages are checked when they are read.
struct Tree {
  let map: PageMap
  /// The root page; nil for a database without entries.
  let root: UInt64?
  /// The number of pages on the path from the root to a leaf, including both.
  let depth: Int
  let flags: UInt16
  /// The number of overflow pages, according to the description.
  let overflowPageCount: UInt64

  /// The greatest depth of a tree that LMDB can walk.
  static let maxDepth = 32

  /// The flag of a database whose keys are integers: LMDB's MDB_INTEGERKEY.
  static let integerKeys: UInt16 = 0x08

  /// The flag that LMDB stores with the free list's flags if the file was created without a
  /// directory, as by a compaction: MDB_NOSUBDIR.
  static let noDirectory: UInt16 = 0x4000

  /// The size of a database's description in bytes.
  static let descriptionByteCount = 48

  /// Reads a description: padding 4, flags 2, depth 2, four counts of 8, root 8.
  init(map: PageMap, description: UnsafeRawBufferPointer) throws(LogError) {
    guard description.count == Self.descriptionByteCount else {
      throw .corrupt("a database's description has \(description.count) bytes")
    }
    try self.init(
      map: map, flags: description.loadUnaligned(fromByteOffset: 4, as: UInt16.self),
      depth: description.loadUnaligned(fromByteOffset: 6, as: UInt16.self),
      overflowPageCount: description.loadUnaligned(fromByteOffset: 24, as: UInt64.self),
      root: description.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
  }

  /// Creates a tree from the fields of a description.
  ///
  /// A root of all ones means that there is no root.
  init(
    map: PageMap, flags: UInt16, depth: UInt16, overflowPageCount: UInt64, root: UInt64
  ) throws(LogError) {
    guard depth <= Self.maxDepth, (depth == 0) == (root == .max) else {
      throw .corrupt("a database has depth \(depth) and root page \(root)")
    }
    self.map = map
    self.flags = flags
    self.depth = Int(depth)
    self.overflowPageCount = overflowPageCount
    self.root = root == .max ? nil : root
  }

  /// Returns a cursor without a position.
  func cursor() -> TreeCursor { TreeCursor(self) }

  /// Returns the value of a key, or nil if the tree does not contain it.
  func value(of key: UnsafeRawBufferPointer) throws(LogError) -> UnsafeRawBufferPointer? {
    try cell(of: key)?.value(map)
  }

  /// Returns the cell of a key, or nil if the tree does not contain it.
  func cell(of key: UnsafeRawBufferPointer) throws(LogError) -> TreeCell? {
    guard let root else { return nil }
    var page = try TreePage(map, root)
    for level in 1...depth {
      guard page.isBranch == (level < depth) else { throw wrongDepth(page) }
      let index = try page.floor(of: key)
      if !page.isBranch {
        guard index >= 0 else { return nil }
        let cell = try page.cell(index)
        return compare(cell.key, key) == 0 ? cell : nil
      }
      page = try TreePage(map, page.cell(index).child)
    }
    throw wrongDepth(page)
  }

  func wrongDepth(_ page: TreePage) -> LogError {
    .corrupt("page \(page.number) is at the wrong depth")
  }
}

/// Compares keys in bytewise order, with a shorter key before a longer one that starts with it.
@inline(__always)
func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  guard let start = left.baseAddress, let other = right.baseAddress else {
    return left.count - right.count
  }
  let order = memcmp(start, other, min(left.count, right.count))
  return order != 0 ? Int(order) : left.count - right.count
}

extension TreePage {
  /// Returns the index of the greatest key at or below `key`, or -1 if there is none.
  ///
  /// The first key of a branch page is lower than every other key, so the result there is at least
  /// 0.
  func floor(of key: UnsafeRawBufferPointer) throws(LogError) -> Int {
    var low = isBranch ? 1 : 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if compare(try cell(middle).key, key) <= 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low - 1
  }
}

/// A position in a tree, with the path from the root to it.
struct TreeCursor {
  private let tree: Tree
  private var path: [(page: TreePage, index: Int)] = []

  init(_ tree: Tree) {
    self.tree = tree
  }

  /// The leaf at the cursor, and the index on it.
  var leaf: (page: TreePage, index: Int)? { path.last }

  /// Returns the key and value at the cursor, or nil if it has no position.
  func entry() throws(LogError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard let (page, index) = path.last else { return nil }
    let cell = try page.cell(index)
    return (cell.key, try cell.value(tree.map))
  }

  /// Moves to the greatest key at or below `key`, and returns whether there is one.
  mutating func seek(atOrBefore key: UnsafeRawBufferPointer) throws(LogError) -> Bool {
    try descend { page throws(LogError) in try page.floor(of: key) }
    guard let last = path.last else { return false }
    return last.index >= 0 ? true : try step(-1)
  }

  /// Moves to the least key at or above `key`, and returns whether there is one.
  mutating func seek(atOrAfter key: UnsafeRawBufferPointer) throws(LogError) -> Bool {
    try descend { page throws(LogError) in try page.floor(of: key) }
    guard let last = path.last else { return false }
    if last.index >= 0, compare(try last.page.cell(last.index).key, key) == 0 { return true }
    return try step(1)
  }

  /// Moves to the first entry; returns false if the tree is empty.
  mutating func seekFirst() throws(LogError) -> Bool {
    try descend { _ in 0 }
    return !path.isEmpty
  }

  /// Moves to the last entry; returns false if the tree is empty.
  mutating func seekLast() throws(LogError) -> Bool {
    try descend { page in page.count - 1 }
    return !path.isEmpty
  }

  /// Moves to the next entry; returns false at the end, where the cursor loses its position.
  mutating func next() throws(LogError) -> Bool { try step(1) }

  /// Moves to the previous entry; returns false at the start, where the cursor loses its position.
  mutating func previous() throws(LogError) -> Bool { try step(-1) }

  /// Moves to the first entry of the next leaf; returns false after the last leaf.
  mutating func nextLeaf() throws(LogError) -> Bool {
    guard let last = path.indices.last else { return false }
    path[last].index = path[last].page.count - 1
    return try step(1)
  }

  // MARK: -

  private mutating func descend(
    _ choose: (TreePage) throws(LogError) -> Int
  ) throws(LogError) {
    path.removeAll(keepingCapacity: true)
    guard let root = tree.root else { return }
    path.reserveCapacity(tree.depth)
    var number = root
    while true {
      let page = try TreePage(tree.map, number)
      guard page.isBranch == (path.count + 1 < tree.depth) else { throw tree.wrongDepth(page) }
      let index = try choose(page)
      path.append((page, index))
      if !page.isBranch { return }
      number = try page.cell(index).child
    }
  }

  private mutating func step(_ by: Int) throws(LogError) -> Bool {
    while let last = path.indices.last {
      path[last].index += by
      if path[last].page.count > path[last].index, path[last].index >= 0 {
        if last + 1 == tree.depth { return true }
        break
      }
      path.removeLast()
    }
    while let (page, index) = path.last, page.isBranch {
      let below = try TreePage(tree.map, page.cell(index).child)
      guard below.isBranch == (path.count + 1 < tree.depth) else { throw tree.wrongDepth(below) }
      path.append((below, by > 0 ? 0 : below.count - 1))
    }
    return !path.isEmpty
  }
}
