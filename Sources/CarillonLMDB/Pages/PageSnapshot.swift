internal import CarillonLog
internal import CarillonModel

/// The pages that one LMDB transaction sees, and the trees they form.
///
/// Valid while the reading transaction with the same number is open, which keeps writers from
/// reusing its pages.
struct PageSnapshot {
  /// The number of the snapshot's commit.
  let transaction: UInt64
  let map: PageMap
  /// Keeps the pages in memory.
  let mapping: Mapping
  let freeList: FreeList
  /// The database that contains the descriptions of the log's databases.
  let main: Tree

  /// Returns one of the log's databases.
  func tree(_ database: LogDatabase) throws(LogError) -> Tree {
    guard let found = try main.description(of: database.rawValue) else {
      throw .corrupt("the database \(database.rawValue) is missing")
    }
    return found
  }

  /// Whether the databases do not exist yet.
  ///
  /// They are created in one transaction.
  var isEmpty: Bool { main.root == nil }

  /// Checks the tables that LMDB itself accesses: small tables in full, and in the tables of events
  /// and runs the path to the end, where they grow.
  ///
  /// ``PageUse`` checks before a write that they grow into free pages.
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
  /// In the main database: the description of another database.
  fileprivate func description(of name: String) throws(LogError) -> Tree? {
    var cursor = cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (page, index) = cursor.leaf {
      let cell = try page.cell(index)
      if cell.key.elementsEqual(name.utf8) {
        guard cell.flags == CellFlag.database else {
          throw .corrupt("an entry of the main database is not a description of a database")
        }
        return try Tree(map: map, description: cell.value(map))
      }
      isFound = try cursor.next()
    }
    return nil
  }
}
