internal import CarillonLog
internal import CarillonModel

/// The checks that make pages safe for LMDB, which follows them without checks of its own.
extension Tree {
  /// Walks all pages and checks bounds, depth and ascending keys.
  ///
  /// - Parameters:
  ///   - visit: Called with each entry.
  ///   - note: Called with the pages in use: the first one and their number.
  /// - Complexity: O(pages).
  func checkAll(
    _ visit: (TreeCell) throws(LogError) -> Void = { _ in },
    noting note: (UInt64, UInt64) throws(LogError) -> Void = { _, _ in }
  ) throws(LogError) {
    guard let root else { return }
    var budget = map.pageCount
    try check(root, level: 1, budget: &budget, visit, note)
  }

  /// Checks the path from the root to the place of `key` in the tree, or to the last key if it is
  /// nil.
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

  /// Walks the branch pages and marks the leaves that they list, without reading the leaves.
  ///
  /// The pages are read, not mapped: the system maps the neighbours of a page with it, and it takes
  /// longer to unmap them all than to read the branch pages.
  ///
  /// - Complexity: O(branch pages), which are about one page of 200.
  func walkBranches(of file: DataFile, marking use: inout PageUse) throws(LogError) {
    guard let root else { return }
    try use.take(root)
    if depth > 1 { try walkBranches(root, level: 1, file, &use) }
  }

  // MARK: -

  /// Terminates, because no page is marked twice.
  private func walkBranches(
    _ number: UInt64, level: Int, _ file: DataFile, _ use: inout PageUse
  ) throws(LogError) {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: map.pageSize, alignment: 8)
    defer { bytes.deallocate() }
    try file.read(number, into: bytes)
    let page = try TreePage(at: bytes, number, pageSize: map.pageSize)
    guard page.isBranch else { throw wrongDepth(page) }
    for index in 0..<page.count {
      let child = try page.cell(index).child
      try use.take(child)
      if level + 1 < depth { try walkBranches(child, level: level + 1, file, &use) }
    }
  }

  private func check(
    _ number: UInt64, level: Int, budget: inout UInt64,
    _ visit: (TreeCell) throws(LogError) -> Void,
    _ note: (UInt64, UInt64) throws(LogError) -> Void
  ) throws(LogError) {
    // Otherwise a tree that lists a page twice could be walked for a very long time.
    guard budget > 0 else { throw .corrupt("a database lists more pages than the file has") }
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

  /// Checks that all cells lie inside the page without overlap, and that their keys are ascending.
  private func checkCells(of page: TreePage) throws(LogError) {
    var previous: UnsafeRawBufferPointer?
    var byteCount = PageMap.headerByteCount + 2 * page.count
    for index in 0..<page.count {
      let cell = try page.cell(index)
      let stored = page.isBranch ? 0 : cell.storedByteCount
      byteCount += (8 + cell.keyByteCount + stored + 1) & ~1
      if !page.isBranch {
        // With other flags, LMDB would follow references that do not exist.
        guard cell.flags & ~(CellFlag.overflow | CellFlag.database) == 0 else {
          throw .corrupt("cell \(index) of page \(page.number) has unknown flags")
        }
        _ = try cell.value(map)
      }
      // The first key of a branch page means "everything below".
      if page.isBranch && index == 0 { continue }
      guard (1...511).contains(cell.keyByteCount),
        previous.map({ rises(from: $0, to: cell.key) }) ?? true
      else { throw .corrupt("the keys of page \(page.number) are not in ascending order") }
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
  /// Whether two keys are in ascending order.
  ///
  /// Keys of the free list are integers in the machine's byte order; all others are compared
  /// bytewise.
  private func rises(
    from key: UnsafeRawBufferPointer, to next: UnsafeRawBufferPointer
  ) -> Bool {
    guard flags & Self.integerKeys != 0 else { return compare(key, next) < 0 }
    guard key.count == 8, next.count == 8 else { return false }
    return key.loadUnaligned(as: UInt64.self) < next.loadUnaligned(as: UInt64.self)
  }
}
