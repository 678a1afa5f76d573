internal import CarillonModel
internal import Synchronization

/// What the pages of a snapshot are used for, so that LMDB writes over none that is in use.
///
/// LMDB writes to the pages of its free list, and to those behind the last page, without a look at
/// what is there. One wrong bit in the list, in a branch page or in the number of the last page
/// would so cost events that were written long ago.
struct PageUse {
  private enum Use: UInt8 { case none, tree, free }
  private var uses: [Use]
  /// In no particular order.
  private(set) var freePages: [UInt64] = []

  /// Walks all trees, but not the leaves of events and runs, which their branch pages name.
  ///
  /// Values of events on pages of their own are not found that way:
  /// ``LogSnapshot/eventLying(on:of:)`` does.
  ///
  /// - Throws: `corrupt` where a page is used twice, or used and free, or outside the file.
  /// - Complexity: O(branch pages + free pages).
  init(_ pages: PageSnapshot) throws(LogError) {
    uses = Array(repeating: .none, count: Int(pages.map.pageCount))
    try take(all: pages.main)
    try take(all: pages.freeList.tree)
    for database in LogDatabase.allCases {
      let tree = try pages.tree(database)
      switch database {
      case .branches, .closings, .meta: try take(all: tree)
      case .events, .runs: try tree.walkBranches(marking: &self)
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

  /// Notes a page of a tree.
  ///
  /// - Throws: `corrupt` where it was noted before, or lies outside the file.
  @inline(__always)
  mutating func take(_ page: UInt64) throws(LogError) {
    guard page >= 2, page < uses.count else {
      throw .corrupt("page \(page) is in use, and \(uses.count - 1) is named as the last")
    }
    guard uses[Int(page)] == .none else { throw .corrupt("page \(page) is used twice") }
    uses[Int(page)] = .tree
  }

  /// Whether a page is none of a tree and not free.
  func isOther(_ page: UInt64) -> Bool { uses[Int(page)] == .none }
}

// MARK: - Events on pages of their own

extension LogSnapshot {
  /// The most pages that one event's value takes.
  private static func maxPageCount(of map: PageMap) -> UInt64 {
    let byteCount =
      PageMap.headerByteCount + LogFormat.eventHeaderByteCount + Event.maxPayloadBytes
    return UInt64((byteCount - 1) / map.pageSize + 1)
  }

  /// The position of the event whose value lies on a page of its own, or goes on there; nil where
  /// none does.
  ///
  /// The value says whose it is, and that event's cell says where its value lies.
  ///
  /// - Parameters:
  ///   - page: One that `map` has.
  ///   - map: The snapshot's, or one of the whole file.
  /// - Complexity: O(log events) where the page, or one of the few before it, looks like one.
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
        // Where the look-up fails, the damage is elsewhere: the page is of no event that is read.
        if let position = try? position(of: marked & LogFormat.maxBranchIndex, at: sequence),
          let found = try? firstPage(ofEventAt: position), found == first
        {
          return position
        }
      }
      first -= 1
    }
    return nil
  }

  /// The first of the pages on which an event's value lies; nil where it lies in its leaf.
  func firstPage(ofEventAt position: UInt64) throws(LogError) -> UInt64? {
    try withUnsafeBytes(of: position.bigEndian) { key throws(LogError) in
      try events.cell(of: key)?.firstOverflowPage
    }
  }

  /// Checks that no event lies on a page that LMDB may write to: a free one, or one of the file's
  /// behind the last.
  ///
  /// - Throws: `corrupt`.
  /// - Complexity: O(free pages); where no event has a page of its own, O(1).
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
        throw LogError.corrupt("page \(page) is in use, and \(end - 1) is named as the last")
      }
    }
  }

  /// Checks that the pages on which an event's value lies are its own: LMDB frees them when the
  /// event is given other content.
  ///
  /// - Throws: `corrupt`.
  /// - Complexity: O(branch pages + free pages) where it has such pages, else O(log events).
  func checkOverflow(ofEventAt position: UInt64, _ use: () throws -> PageUse) throws {
    let cell = try withUnsafeBytes(of: position.bigEndian) { key throws(LogError) in
      try events.cell(of: key)
    }
    guard let (first, count) = try cell?.overflow(events.map) else { return }
    let use = try use()
    for page in first..<first + count {
      guard use.isOther(page), eventLying(on: page, of: events.map) ?? position == position else {
        throw LogError.wrongPages(
          "page \(page), of the event at position \(position), is not its own")
      }
    }
  }
}

extension LogEnvironment {
  /// Checks, before the first write and wherever another process has written since, that LMDB will
  /// not write over what is in use.
  ///
  /// - Throws: `corrupt`.
  func requireSoundPages(of snapshot: LogSnapshot, _ pages: PageSnapshot) throws {
    guard checkedTransaction.load(ordering: .relaxed) != pages.transaction else { return }
    try snapshot.checkFreePages(of: PageUse(pages), in: file)
    checkedTransaction.store(pages.transaction, ordering: .relaxed)
  }
}
