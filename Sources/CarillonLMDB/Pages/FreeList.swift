internal import CarillonModel

/// The free list of a snapshot: LMDB's list of pages that it may overwrite.
struct FreeList {
  let tree: Tree
  /// The number of the snapshot's commit.
  let transaction: UInt64

  /// The number of the last commit that replaced pages; every commit except the first does.
  ///
  /// - Complexity: O(log free pages).
  func lastCommit() throws(LogError) -> UInt64? {
    var cursor = tree.cursor()
    guard try cursor.seekLast(), let (page, index) = cursor.leaf else { return nil }
    let key = try page.cell(index).key
    return key.count == 8 ? key.loadUnaligned(as: UInt64.self) : nil
  }

  /// Checks that no free page is listed twice or lies outside the file, and calls `visit` for each
  /// one.
  ///
  /// Format of an entry: transaction u64 -> count u64, then that number of page numbers in
  /// descending order. LMDB would use an entry of transaction 0 but never remove it.
  ///
  /// - Throws: `corrupt`, created by ``LogError/wrongPages(_:)``.
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
          "the free list names commit \(commit), but the last commit is \(transaction)")
      }
      let count = value.loadUnaligned(as: UInt64.self)
      guard count <= UInt64(value.count / 8 - 1) else {
        throw .wrongPages("an entry of the free list is too short for its \(count) pages")
      }
      var above = pageCount
      for index in 0..<Int(count) {
        let page = value.loadUnaligned(fromByteOffset: 8 + 8 * index, as: UInt64.self)
        guard page >= 2, page < above, seen.insert(page).inserted else {
          throw .wrongPages("the free list has an invalid entry for page \(page)")
        }
        above = page
        try visit(page)
      }
    }
  }
}
