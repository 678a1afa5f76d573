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
  /// that was overtaken moves on to a newer one.
  func snapshot() throws -> PageSnapshot {
    for _ in 0..<1_000 {
      if let snapshot = try snapshot(of: UInt64(mdb_txn_id(transaction))) { return snapshot }
      try environment.renew(transaction)
    }
    throw LogError(
      code: .busy, message: "Other processes write the log too fast to read it. Try again.")
  }

  private func snapshot(of number: UInt64) throws -> PageSnapshot? {
    let pageSize = environment.file.pageSize
    let mapping = try environment.file.mapping(of: 2 * pageSize)
    let metas = UnsafeRawBufferPointer(start: mapping.base, count: 2 * pageSize)
    let isSecond = number & 1 == 1
    let meta = MetaPage(copying: page(metas, isSecond ? 1 : 0, pageSize))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let other = MetaPage(copying: page(metas, isSecond ? 0 : 1, pageSize))
    guard meta.transaction == number, other.transaction <= number else { return nil }
    if let problem = meta.problem(number: isSecond ? 1 : 0) { throw LogError.corrupt(problem) }
    let needed = (Int(meta.lastPage) + 1) * pageSize
    let pages = try environment.file.mapping(of: needed)
    let map = PageMap(base: pages.base, pageSize: pageSize, pageCount: meta.lastPage + 1)
    return PageSnapshot(
      transaction: number, map: map, mapping: pages,
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
