internal import CLMDB
internal import CarillonModel

/// A reading transaction of LMDB that is held, so that its pages stay as they are.
///
/// Used by one thread at a time; its maker calls ``end()`` exactly once.
struct PageReader {
  private let environment: LogEnvironment
  private let transaction: OpaquePointer

  init(environment: LogEnvironment, transaction: OpaquePointer) {
    self.environment = environment
    self.transaction = transaction
  }

  /// Gives the pages back to the writers.
  func end() {
    environment.endReading(transaction)
  }

  /// What the transaction sees.
  ///
  /// The page that describes commit T is written again by commit T + 2, so a reader that was
  /// overtaken moves on to a newer one.
  ///
  /// - Throws: `corrupt` where another file was written over the data file, `busy`, `io`.
  func snapshot() throws -> PageSnapshot {
    let first = UInt64(mdb_txn_id(transaction))
    for _ in 0..<1_000 {
      let number = UInt64(mdb_txn_id(transaction))
      let (meta, other) = try readMetaPages(of: number)
      guard max(meta.transaction, other.transaction) >= number else {
        throw Self.overwritten(at: number, meta, other)
      }
      // While T + 1 is being synced its page shows already. T is still the last that has ended, so
      // T + 2 has not begun and the copy is whole.
      if other.transaction > number || meta.transaction != number {
        try environment.renew(transaction)
        guard mdb_txn_id(transaction) == Int(number), meta.transaction == number else { continue }
      }
      return try snapshot(of: number, meta)
    }
    try environment.place.check()
    let (meta, other) = try readMetaPages(of: first)
    // Whoever writes moves the reader on.
    guard UInt64(mdb_txn_id(transaction)) != first else {
      throw Self.overwritten(at: first, meta, other)
    }
    throw LogError(
      code: .busy, message: "Other processes write the log too fast to read it. Try again.")
  }

  /// Checks that nothing newer is there, which a writer's own transaction must stand on.
  ///
  /// - Returns: The page of the commit before, which the next one writes over.
  /// - Throws: `io` where another process writes without knowing of this one.
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
      "the data file was written over while it was open: it ends in commit "
        + "\(max(meta.transaction, other.transaction)), and commit \(number) was the last")
  }

  /// Checks that the first two pages name the commits that they describe: with a wrong number in
  /// either, the log would continue from the commit before the last.
  ///
  /// Each commit notes in the free list, under its number, which pages it replaced. Numbers that
  /// are wrong by other than two are found without that.
  ///
  /// Another process may be writing the pages: what is wrong must be wrong three times.
  ///
  /// - Throws: `corrupt`.
  func requireKnownCommits() throws {
    for _ in 0..<2 {
      if try wrongCommit() == nil { return }
    }
    if let (named, described) = try wrongCommit() {
      throw LogError.corrupt("page \(named & 1) names commit \(named), and describes \(described)")
    }
  }

  private func wrongCommit() throws -> (named: UInt64, described: UInt64)? {
    let (meta, other) = try readMetaPages(of: UInt64(mdb_txn_id(transaction)))
    for page in [meta, other] where page.problem(number: page.transaction & 1) == nil {
      let named = page.transaction
      // Where the page in force cannot be read, its reader reports it; the other one is not read.
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

  /// The page that describes a commit, and the one of the commits before and after it, read in this
  /// order.
  private func readMetaPages(of number: UInt64) throws(LogError) -> (MetaPage, other: MetaPage) {
    let meta = try environment.file.metaPage(Int(number & 1))
    return (meta, try environment.file.metaPage(Int(~number & 1)))
  }
}

extension LogEnvironment {
  /// Begins to read, looks, and ends.
  func read<Result>(_ body: (PageSnapshot) throws -> Result) throws -> Result {
    try withReader { try body($0.snapshot()) }
  }

  /// Begins to read, calls a body, and ends.
  func withReader<Result>(_ body: (PageReader) throws -> Result) throws -> Result {
    let reader = try beginReading()
    defer { reader.end() }
    return try body(reader)
  }
}
