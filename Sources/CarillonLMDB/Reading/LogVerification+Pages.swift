internal import CarillonLog
internal import CarillonModel

extension LogVerification<LogSnapshot> {
  /// Checks bounds and order on every page of every database, and that the free list, whose pages
  /// LMDB overwrites, contains no page in use.
  mutating func checkPages(_ pages: PageSnapshot) throws {
    var isUsed = [Bool](repeating: false, count: Int(pages.map.pageCount))
    func note(_ first: UInt64, _ count: UInt64) throws(LogError) {
      for page in Int(first)..<Int(first + count) {
        guard !isUsed[page] else { throw .corrupt("page \(page) is used twice") }
        isUsed[page] = true
      }
    }
    try self.note(table: "pages") { _ in
      try pages.main.checkAll(noting: note)
      try pages.freeList.tree.checkAll(noting: note)
    }
    for database in LogDatabase.allCases {
      try self.note(table: "pages") { _ in try pages.tree(database).checkAll(noting: note) }
    }
    try self.note(table: "pages") { _ in
      try pages.freeList.check { page throws(LogError) in
        if isUsed[Int(page)] { throw .freePageInUse(page) }
      }
    }
  }
}
