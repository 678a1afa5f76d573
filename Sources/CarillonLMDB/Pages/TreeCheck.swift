internal import CarillonModel

/// The checks that make pages safe for LMDB, which follows them without looking.
extension Tree {
  /// Walks all pages: bounds, depth, and keys in rising order.
  ///
  /// - Parameters:
  ///   - visit: Is given each entry.
  ///   - note: Is given the pages that are used: the first, and how many.
  /// - Complexity: O(pages).
  func checkAll(
    _ visit: (TreeCell) throws(LogError) -> Void = { _ in },
    noting note: (UInt64, UInt64) throws(LogError) -> Void = { _, _ in }
  ) throws(LogError) {
    guard let root else { return }
    var budget = map.pageCount
    try check(root, level: 1, budget: &budget, visit, note)
  }

  /// Walks the way from the root to where `key` stands or would stand; nil walks to the last key.
  ///
  /// - Complexity: O(depth × entries of a page).
  func checkPath(to key: UnsafeRawBufferPointer?) throws(LogError) {
    guard var number = root else { return }
    for level in 1...depth {
      let page = try TreePage(map, number)
      guard page.isBranch == (level < depth) else { throw wrongDepth(page) }
      try checkCells(of: page)
      guard page.isBranch else { return }
      let index = try key.map { key throws(LogError) in try page.floor(of: key) }
      number = try page.cell(index ?? page.count - 1).child
    }
  }

  /// Walks the branch pages, which name the leaves: those are marked and not read.
  ///
  /// - Complexity: O(branch pages), about one of 200.
  func walkBranches(marking use: inout PageUse) throws(LogError) {
    guard let root else { return }
    try use.take(root)
    if depth > 1 { try walkBranches(root, level: 1, &use) }
  }

  // MARK: -

  /// Ends, since no page is marked twice.
  private func walkBranches(
    _ number: UInt64, level: Int, _ use: inout PageUse
  ) throws(LogError) {
    let page = try TreePage(map, number)
    guard page.isBranch else { throw wrongDepth(page) }
    for index in 0..<page.count {
      let child = try page.cell(index).child
      try use.take(child)
      if level + 1 < depth { try walkBranches(child, level: level + 1, &use) }
    }
  }

  private func check(
    _ number: UInt64, level: Int, budget: inout UInt64,
    _ visit: (TreeCell) throws(LogError) -> Void,
    _ note: (UInt64, UInt64) throws(LogError) -> Void
  ) throws(LogError) {
    // A tree that names a page twice would otherwise be walked for very long.
    guard budget > 0 else { throw .corrupt("a database names more pages than there are") }
    budget -= 1
    let page = try TreePage(map, number)
    guard page.isBranch == (level < depth) else { throw wrongDepth(page) }
    try checkCells(of: page)
    try note(number, 1)
    for index in 0..<page.count {
      let cell = try page.cell(index)
      if page.isBranch {
        try check(cell.child, level: level + 1, budget: &budget, visit, note)
      } else {
        if let (first, count) = try cell.overflow(map) { try note(first, count) }
        try visit(cell)
      }
    }
  }

  /// All cells lie inside the page and apart, and their keys rise.
  private func checkCells(of page: TreePage) throws(LogError) {
    var previous: UnsafeRawBufferPointer?
    var byteCount = PageMap.headerByteCount + 2 * page.count
    for index in 0..<page.count {
      let cell = try page.cell(index)
      let stored = page.isBranch ? 0 : cell.storedByteCount
      byteCount += (8 + cell.keyByteCount + stored + 1) & ~1
      if !page.isBranch {
        // LMDB follows other flags to what is not there.
        guard cell.flags & ~(CellFlag.overflow | CellFlag.database) == 0 else {
          throw .corrupt("cell \(index) of page \(page.number) has unknown flags")
        }
        _ = try cell.value(map)
      }
      // The first key of a branch page stands for "everything below".
      if page.isBranch && index == 0 { continue }
      guard (1...511).contains(cell.keyByteCount),
        previous.map({ rises(from: $0, to: cell.key) }) ?? true
      else { throw .corrupt("the keys of page \(page.number) do not rise") }
      previous = cell.key
    }
    let lower = Int(page.start.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    let upper = Int(page.start.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
    guard byteCount + upper - lower == page.pageSize else {
      throw .corrupt("the entries of page \(page.number) overlap")
    }
  }
}

extension Tree {
  /// The free list's keys are integers in the machine's byte order, all others rise bytewise.
  private func rises(
    from key: UnsafeRawBufferPointer, to next: UnsafeRawBufferPointer
  ) -> Bool {
    guard flags & Self.integerKeys != 0 else { return compare(key, next) < 0 }
    guard key.count == 8, next.count == 8 else { return false }
    return key.loadUnaligned(as: UInt64.self) < next.loadUnaligned(as: UInt64.self)
  }
}
