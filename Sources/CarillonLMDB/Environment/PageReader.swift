internal import CLMDB
internal import CarillonModel
internal import Synchronization

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
  /// The page that describes the snapshot is used again by the commit after the next, so a reader
  /// that was overtaken moves on to a newer one. While the next commit waits for the disk, its page
  /// can be seen already though its number is not yet given out: as long as it is not, the commit
  /// after it has not begun, and what was copied is whole.
  func snapshot() throws -> PageSnapshot {
    for _ in 0..<1_000 {
      let number = UInt64(mdb_txn_id(transaction))
      let (own, other) = try metaPages(of: number)
      guard own.transaction == number, other.transaction <= number &+ 1 else {
        try environment.renew(transaction)
        continue
      }
      if other.transaction == number &+ 1 {
        try environment.renew(transaction)
        guard UInt64(mdb_txn_id(transaction)) == number else { continue }
      }
      return try snapshot(of: own)
    }
    throw LogError(
      code: .busy, message: "Other processes write the log too fast to read it. Try again.")
  }

  /// Copies of the page that describes a commit, and of the other one.
  private func metaPages(of number: UInt64) throws -> (own: MetaPage, other: MetaPage) {
    let pageSize = environment.file.pageSize
    let mapping = try environment.file.mapping(of: 2 * pageSize)
    let metas = UnsafeRawBufferPointer(start: mapping.base, count: 2 * pageSize)
    let index = Int(number & 1)
    let own = MetaPage(copying: page(metas, index, pageSize))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return (own, MetaPage(copying: page(metas, 1 - index, pageSize)))
  }

  private func snapshot(of meta: MetaPage) throws -> PageSnapshot {
    if let problem = meta.problem(number: meta.transaction & 1) {
      throw LogError.corrupt(problem)
    }
    let pageSize = environment.file.pageSize
    let needed = (Int(meta.lastPage) + 1) * pageSize
    let pages = try environment.file.mapping(of: needed)
    let map = PageMap(base: pages.base, pageSize: pageSize, pageCount: meta.lastPage + 1)
    return PageSnapshot(
      transaction: meta.transaction, map: map, mapping: pages,
      freeList: FreeList(tree: try meta.freeList(map)), main: try meta.main(map))
  }

  private func page(
    _ metas: UnsafeRawBufferPointer, _ index: Int, _ pageSize: Int
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: metas[index * pageSize..<(index + 1) * pageSize])
  }
}

extension LogEnvironment {
  /// Begins to read, looks, and ends.
  func read<Result>(_ body: (PageSnapshot) throws -> Result) throws -> Result {
    let reader = try beginReading()
    defer { reader.end() }
    return try body(try reader.snapshot())
  }
}
