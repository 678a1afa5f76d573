internal import CarillonModel

/// The free list of a snapshot: LMDB's record of pages that may be written again.
struct FreeList {
  let tree: Tree
  /// The number of the commit that made the snapshot.
  let transaction: UInt64

  /// The number of the last commit that replaced pages, as every one does but the first.
  ///
  /// - Complexity: O(log free pages).
  func lastCommit() throws(LogError) -> UInt64? {
    var cursor = tree.cursor()
    guard try cursor.seekLast(), let (page, index) = cursor.leaf else { return nil }
    let key = try page.cell(index).key
    return key.count == 8 ? key.loadUnaligned(as: UInt64.self) : nil
  }

  /// Calls `visit` for every free page, and checks that none is named twice or outside the file.
  ///
  /// Shape: transaction u64 -> count u64, then that many page numbers, falling. A record of
  /// transaction 0 would be used by LMDB and never removed.
  ///
  /// - Throws: `corrupt`, by ``LogError/wrongPages(_:)``.
  /// - Complexity: O(free pages).
  func check(_ visit: (UInt64) throws(LogError) -> Void = { _ in }) throws(LogError) {
    let pageCount = tree.map.pageCount
    var seen: Set<UInt64> = []
    try tree.checkAll { cell throws(LogError) in
      let value = try cell.value(tree.map)
      guard cell.keyByteCount == 8, value.count >= 8 else {
        throw .wrongPages("an entry of the free list has \(value.count) bytes")
      }
      let commit = cell.key.loadUnaligned(as: UInt64.self)
      guard commit >= 1, commit <= transaction else {
        throw .wrongPages(
          "the free list names commit \(commit), and \(transaction) were made")
      }
      let count = value.loadUnaligned(as: UInt64.self)
      guard count <= UInt64(value.count / 8 - 1) else {
        throw .wrongPages("an entry of the free list names \(count) pages")
      }
      var above = pageCount
      for index in 0..<Int(count) {
        let page = value.loadUnaligned(fromByteOffset: 8 + 8 * index, as: UInt64.self)
        guard page >= 2, page < above, seen.insert(page).inserted else {
          throw .wrongPages("the free list names page \(page) wrongly")
        }
        above = page
        try visit(page)
      }
    }
  }
}
