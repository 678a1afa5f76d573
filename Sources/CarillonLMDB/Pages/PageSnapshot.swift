internal import CarillonModel

/// What one transaction of LMDB sees: its pages and the trees among them.
///
/// Valid while the reading transaction of the same number is held, which keeps writers from using
/// its pages again.
struct PageSnapshot {
  /// The number of the commit that made it.
  let transaction: UInt64
  let map: PageMap
  /// Keeps the pages in memory.
  let mapping: Mapping
  let freeList: FreeList
  /// Holds the descriptions of the log's databases.
  let main: Tree

  /// One of the log's databases.
  func tree(_ database: LogDatabase) throws(LogError) -> Tree {
    guard let found = try main.description(of: database.rawValue) else {
      throw .corrupt("the database \(database.rawValue) is missing")
    }
    return found
  }

  /// Whether the databases were ever made; they are made in one transaction.
  var isEmpty: Bool { main.root == nil }

  /// Checks the tables that LMDB itself will touch: what is small in full, of events and runs the
  /// way to the end, where they grow.
  ///
  /// Where they grow to is checked before a write, by ``PageUse``.
  ///
  /// - Complexity: O(branches).
  func checkTables() throws(LogError) {
    guard freeList.tree.flags & ~Tree.noDirectory == Tree.integerKeys, main.flags == 0 else {
      throw .corrupt("the file's own databases have unknown flags")
    }
    try main.checkAll()
    guard !isEmpty else { return }
    for database in LogDatabase.allCases {
      let tree = try tree(database)
      guard tree.flags == 0 else {
        throw .corrupt("the database \(database.rawValue) has unknown flags")
      }
      switch database {
      case .branches, .closings, .meta: try tree.checkAll()
      case .events, .runs: try tree.checkPath(to: nil)
      }
    }
  }
}

extension Tree {
  /// Of the main database: the description of another.
  fileprivate func description(of name: String) throws(LogError) -> Tree? {
    var cursor = cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (page, index) = cursor.leaf {
      let cell = try page.cell(index)
      if cell.key.elementsEqual(name.utf8) {
        guard cell.flags == CellFlag.database else {
          throw .corrupt("an entry of the main database describes no database")
        }
        return try Tree(map: map, description: cell.value(map))
      }
      isFound = try cursor.next()
    }
    return nil
  }
}
