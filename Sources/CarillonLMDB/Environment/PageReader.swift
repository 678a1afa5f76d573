internal import CLMDB
internal import CarillonLog
internal import CarillonModel

/// An open reading transaction of LMDB, which keeps its pages unchanged.
///
/// Used by one thread at a time. Its creator calls ``end()`` exactly once.
struct PageReader {
  private let environment: LogEnvironment
  private let transaction: OpaquePointer

  init(environment: LogEnvironment, transaction: OpaquePointer) {
    self.environment = environment
    self.transaction = transaction
  }

  /// Ends the transaction, so that writers can reuse its pages.
  func end() {
    environment.endReading(transaction)
  }

  /// Returns the pages that the transaction sees.
  ///
  /// Commit T + 2 overwrites the page that describes commit T, so a reader that was overtaken moves
  /// to a newer commit.
  ///
  /// - Throws: `corrupt` if another file was written over the data file; `busy`; `io`.
  func snapshot() throws -> PageSnapshot {
    let first = UInt64(mdb_txn_id(transaction))
    for _ in 0..<1_000 {
      let number = UInt64(mdb_txn_id(transaction))
      let (meta, other) = try readMetaPages(of: number)
      guard max(meta.transaction, other.transaction) >= number else {
        throw Self.overwritten(at: number, meta, other)
      }
      // While T + 1 is being synced, its page is already visible. T is then still the last finished
      // commit, so T + 2 has not started and the copy is consistent.
      if other.transaction > number || meta.transaction != number {
        try environment.renew(transaction)
        guard mdb_txn_id(transaction) == Int(number), meta.transaction == number else { continue }
      }
      return try snapshot(of: number, meta)
    }
    try environment.place.check()
    let (meta, other) = try readMetaPages(of: first)
    // Any writer would have moved the reader forward.
    guard UInt64(mdb_txn_id(transaction)) != first else {
      throw Self.overwritten(at: first, meta, other)
    }
    throw LogError(
      code: .busy, message: "other processes write the log too fast for it to be read")
  }

  /// Checks that the transaction sees the newest commit, which a writer's own transaction must
  /// build on.
  ///
  /// - Returns: The page of the previous commit, which the next commit overwrites.
  /// - Throws: `io` if another process writes without knowing of this one.
  func requireNewest() throws -> MetaPage {
    let number = UInt64(mdb_txn_id(transaction))
    let (meta, other) = try readMetaPages(of: number)
    guard meta.transaction == number, other.transaction <= number else {
      throw FilesInPlace.replaced("the log's lock file")
    }
    guard meta.lastPage >= other.lastPage else {
      throw LogError.corrupt("the data file has fewer pages than before its last commit")
    }
    return other
  }

  private static func overwritten(
    at number: UInt64, _ meta: MetaPage, _ other: MetaPage
  ) -> LogError {
    .corrupt(
      "the data file was overwritten while it was open: it ends in commit "
        + "\(max(meta.transaction, other.transaction)), expected at least commit \(number)")
  }

  /// Checks that the first two pages name the commits that they describe.
  ///
  /// With a wrong number in either page, the log would continue from the commit before the last.
  ///
  /// Each commit records in the free list, under its own number, which pages it replaced. A number
  /// that is wrong by anything other than two is detected without this check.
  ///
  /// Another process may be writing the pages, so a page counts as wrong only if it is wrong three
  /// times.
  ///
  /// - Throws: `corrupt`.
  func requireKnownCommits() throws {
    for _ in 0..<2 {
      if try wrongCommit() == nil { return }
    }
    if let (named, described) = try wrongCommit() {
      throw LogError.corrupt(
        "page \(named & 1) names commit \(named) but describes commit \(described)")
    }
  }

  private func wrongCommit() throws -> (named: UInt64, described: UInt64)? {
    let (meta, other) = try readMetaPages(of: UInt64(mdb_txn_id(transaction)))
    for page in [meta, other] where page.problem(number: page.transaction & 1) == nil {
      let named = page.transaction
      // If the current page cannot be read, its reader reports that. The other page is not read.
      guard let described = try? snapshot(of: named, page).freeList.lastCommit() else { continue }
      if described + 2 == named || named + 2 == described { return (named, described) }
    }
    return nil
  }

  private func snapshot(of number: UInt64, _ meta: MetaPage) throws -> PageSnapshot {
    let pageSize = environment.file.pageSize
    if let problem = meta.problem(number: number & 1) { throw LogError.corrupt(problem) }
    let mapping = try environment.file.mapping(of: (Int(meta.lastPage) + 1) * pageSize)
    let map = PageMap(base: mapping.base, pageSize: pageSize, pageCount: meta.lastPage + 1)
    return PageSnapshot(
      transaction: number, map: map, mapping: mapping,
      freeList: FreeList(tree: try meta.freeList(map), transaction: number),
      main: try meta.main(map))
  }

  /// Reads the page that describes a commit, then the page of the commits before and after it, in
  /// this order.
  private func readMetaPages(of number: UInt64) throws(LogError) -> (MetaPage, other: MetaPage) {
    let meta = try environment.file.metaPage(Int(number & 1))
    return (meta, try environment.file.metaPage(Int(~number & 1)))
  }
}

extension LogEnvironment {
  /// Calls a body with the newest snapshot, in a reading transaction.
  func read<Result>(_ body: (PageSnapshot) throws -> Result) throws -> Result {
    try withReader { try body($0.snapshot()) }
  }

  /// Calls a body with a reader, and ends the reader afterwards.
  func withReader<Result>(_ body: (PageReader) throws -> Result) throws -> Result {
    let reader = try beginReading()
    defer { reader.end() }
    return try body(reader)
  }
}
