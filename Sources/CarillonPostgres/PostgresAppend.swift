#if Service
internal import CarillonLog
internal import CarillonModel

/// A write transaction from the state that was seen last, without a lock.
///
/// New events wait in memory, and ``AppendBatches`` commits them together with those of other
/// stores, if the state is still the newest. For anything else, the transaction locks the store's
/// row, checks that its state is the newest, and continues as a ``PostgresTransaction``.
final class PostgresAppend: LogTransaction, RunIndexedView {
  /// Another transaction has changed the store since its state was seen, or holds its row.
  struct Overtaken: Error {}

  private let backend: PostgresBackend
  private let row: LogRow
  let base: LogState
  private var unlockedState: LogState
  private var rows: [NewRow] = []
  private var locked: PostgresTransaction?

  init(_ backend: PostgresBackend, _ seen: SeenLog) {
    self.backend = backend
    (row, base, unlockedState) = (seen.row, seen.state, seen.state)
  }

  var state: LogState {
    _read { if let locked { yield locked.state } else { yield unlockedState } }
    _modify { if let locked { yield &locked.state } else { yield &unlockedState } }
  }

  var putCount: Int { locked?.putCount ?? rows.reduce(1) { $0 + Int($1.run.count) } }

  private var byteCount: Int { rows.reduce(0) { $0 + $1.byteCount } }

  // MARK: Look-ups

  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun? {
    try lock().run(of: branch, atOrBefore: sequence)
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws { try lock().visitRuns(body) }

  func header(at position: UInt64) throws -> EventHeader { try lock().header(at: position) }

  func event(at position: UInt64) throws -> HeldEvent { try lock().event(at: position) }

  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try lock().visitRows(positions, body)
  }

  // MARK: Writing

  func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) throws {
    if let locked { return try locked.put(contents, ids: ids, at: place) }
    rows += try NewRow.rows(contents, ids: ids, at: place)
    // The row may be older than a compaction, which makes room.
    if !row.allows(adding: byteCount) { _ = try lock() }
  }

  func replace(at position: UInt64, by event: HeldEvent) throws {
    try lock().replace(at: position, by: event)
  }

  func put(_ closing: Branch.Closing, on branch: UInt32) throws {
    try lock().put(closing, on: branch)
  }

  func rebuildRuns() throws -> [ClosingEvent] { try lock().rebuildRuns() }

  func putMeta(_ key: MetaKey, _ value: [UInt8]) throws { try lock().putMeta(key, value) }

  func requireBase() throws { _ = try lock() }

  func commit() throws {
    let isPlain =
      !rows.isEmpty && unlockedState.ownBranch == base.ownBranch
      && unlockedState.meta.checksum == unlockedState.meta[.checksum]
    guard locked == nil, isPlain else { return try lock().commit() }
    let heads = unlockedState.unsavedBranches.sorted().map {
      (branch: $0, value: BranchRow.value(of: unlockedState.branches[Int($0)]))
    }
    unlockedState.unsavedBranches = []
    unlockedState.commit = .random(in: .min ... .max)
    let change = AppendBatches.Change(
      store: backend.store, before: row, after: row.after(unlockedState, adding: byteCount),
      rows: rows, heads: heads)
    guard try backend.pool.appends.commit(change, in: backend.pool) else { throw Overtaken() }
    backend.note(SeenLog(row: change.after, state: unlockedState))
  }

  func abort() { locked?.abort() }

  // MARK: -

  /// Returns the transaction that holds the lock of the store's row, with what was written before.
  ///
  /// - Throws: ``Overtaken``; `full` if that is over the quota.
  private func lock() throws -> PostgresTransaction {
    if let locked { return locked }
    let transaction = try backend.beginLocked()
    guard transaction.base.commit == base.commit else {
      transaction.abort()
      throw Overtaken()
    }
    transaction.state = unlockedState
    locked = transaction
    try transaction.insert(rows)
    return transaction
  }
}
#endif
