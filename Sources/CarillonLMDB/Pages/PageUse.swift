internal import CarillonLog
internal import CarillonModel
internal import Synchronization

/// The uses of a snapshot's pages, which are checked so that LMDB overwrites no page in use.
///
/// LMDB writes to the pages of its free list and to the pages beyond the last one, without checking
/// their contents. One wrong bit in the list, in a branch page or in the number of the last page
/// would therefore destroy events that were written long ago.
struct PageUse {
  private enum Use: UInt8 { case none, tree, free }
  private var uses: [Use]
  /// The free pages, in no particular order.
  private(set) var freePages: [UInt64] = []

  /// Walks all trees, except for the leaves of events and runs, which are listed in their branch
  /// pages.
  ///
  /// The overflow pages of events are not found in this way; ``LogSnapshot/eventLying(on:of:)``
  /// finds them.
  ///
  /// - Throws: `corrupt` if a page is used twice, is both used and free, or lies outside the file.
  /// - Complexity: O(branch pages + free pages).
  init(_ pages: PageSnapshot, in file: DataFile) throws(LogError) {
    uses = Array(repeating: .none, count: Int(pages.map.pageCount))
    try take(all: pages.main)
    try take(all: pages.freeList.tree)
    for database in LogDatabase.allCases {
      let tree = try pages.tree(database)
      switch database {
      case .branches, .closings, .meta: try take(all: tree)
      case .events, .runs: try tree.walkBranches(of: file, marking: &self)
      }
    }
    try pages.freeList.check { page throws(LogError) in
      guard uses[Int(page)] == .none else { throw .freePageInUse(page) }
      uses[Int(page)] = .free
      freePages.append(page)
    }
  }

  private mutating func take(all tree: Tree) throws(LogError) {
    try tree.checkAll(noting: { first, count throws(LogError) in
      for page in first..<first + count { try take(page) }
    })
  }

  /// Marks a page as used by a tree.
  ///
  /// - Throws: `corrupt` if it is marked already or lies outside the file.
  @inline(__always)
  mutating func take(_ page: UInt64) throws(LogError) {
    guard page >= 2, page < uses.count else {
      throw .corrupt("page \(page) is in use, but the last page is \(uses.count - 1)")
    }
    guard uses[Int(page)] == .none else { throw .corrupt("page \(page) is used twice") }
    uses[Int(page)] = .tree
  }

  /// Whether a page is neither free nor used by a tree.
  func isOther(_ page: UInt64) -> Bool { uses[Int(page)] == .none }
}

// MARK: - Events on overflow pages

extension LogSnapshot {
  /// The largest number of pages that one event's value can use.
  private static func maxPageCount(of map: PageMap) -> UInt64 {
    let byteCount =
      PageMap.headerByteCount + LogFormat.eventHeaderByteCount + StoredEvent.maxPayloadBytes
    return UInt64((byteCount - 1) / map.pageSize + 1)
  }

  /// Returns the position of the event whose value uses an overflow page; nil if there is none.
  ///
  /// The value contains the event's place, and that event's cell contains the number of the value's
  /// first page.
  ///
  /// - Parameters:
  ///   - page: A page of `map`.
  ///   - map: The pages of the snapshot or of the whole file.
  /// - Complexity: O(log events) if the page, or one of the few before it, looks like an overflow
  ///   page of an event; otherwise O(1).
  func eventLying(on page: UInt64, of map: PageMap) -> UInt64? {
    var first = page
    while first >= 2, page - first < Self.maxPageCount(of: map) {
      let start = map.base + Int(first) * map.pageSize
      if start.loadUnaligned(as: UInt64.self) == first,
        start.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == PageFlag.overflow,
        start.loadUnaligned(fromByteOffset: 12, as: UInt32.self) > page - first
      {
        let value = start + PageMap.headerByteCount
        let marked = UInt32(bigEndian: value.loadUnaligned(as: UInt32.self))
        let sequence = UInt64(bigEndian: value.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        // If the look-up fails, the damage is elsewhere: no event that can be read uses the page.
        if let position = try? position(of: marked & LogLimits.maxBranchIndex, at: sequence),
          let found = try? firstPage(ofEventAt: position), found == first
        {
          return position
        }
      }
      first -= 1
    }
    return nil
  }

  /// Returns the first overflow page of an event's value; nil if the value is in its leaf.
  func firstPage(ofEventAt position: UInt64) throws(LogError) -> UInt64? {
    try withUnsafeBytes(of: position.bigEndian) { key throws(LogError) in
      try events.cell(of: key)?.firstOverflowPage
    }
  }

  /// Checks that no event uses a page that LMDB may write to: a free page, or a page of the file
  /// beyond the last one.
  ///
  /// - Throws: `corrupt`.
  /// - Complexity: O(free pages); O(1) if no event uses an overflow page.
  func checkFreePages(of use: PageUse, in file: DataFile) throws {
    guard events.overflowPageCount > 0 else { return }
    let byteCount = try file.byteCount
    let mapping = try file.mapping(of: byteCount)
    let pageSize = events.map.pageSize
    let map = PageMap(
      base: mapping.base, pageSize: pageSize, pageCount: UInt64(byteCount / pageSize))
    try withExtendedLifetime(mapping) {
      for page in use.freePages where eventLying(on: page, of: map) != nil {
        throw LogError.freePageInUse(page)
      }
      let end = events.map.pageCount
      for page in end..<max(end, map.pageCount) where eventLying(on: page, of: map) != nil {
        throw LogError.corrupt("page \(page) is in use, but the last page is \(end - 1)")
      }
    }
  }

  /// Checks that no other event uses an event's overflow pages, because LMDB frees them when the
  /// event's content is replaced.
  ///
  /// - Throws: `corrupt`.
  /// - Complexity: O(branch pages + free pages) if the event has overflow pages, otherwise O(log
  ///   events).
  func checkOverflow(ofEventAt position: UInt64, _ use: () throws -> PageUse) throws {
    let cell = try withUnsafeBytes(of: position.bigEndian) { key throws(LogError) in
      try events.cell(of: key)
    }
    guard let (first, count) = try cell?.overflow(events.map) else { return }
    let use = try use()
    for page in first..<first + count {
      guard use.isOther(page), eventLying(on: page, of: events.map) ?? position == position else {
        throw LogError.wrongPages(
          "page \(page) of the event at position \(position) has another use too")
      }
    }
  }
}

extension LogEnvironment {
  /// Checks that LMDB will not overwrite pages in use, before the first write and after every write
  /// of another process.
  ///
  /// - Throws: `corrupt`.
  func requireSoundPages(of snapshot: LogSnapshot, _ pages: PageSnapshot) throws {
    guard checkedTransaction.load(ordering: .relaxed) != pages.transaction else { return }
    try snapshot.checkFreePages(of: PageUse(pages, in: file), in: file)
    checkedTransaction.store(pages.transaction, ordering: .relaxed)
  }
}
