#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Dispatch
internal import Synchronization

/// The appends of a process to one database: those of many stores share a transaction.
///
/// Appends that arrive while a batch is on its way form the next one, so that a lone append never
/// waits for others. The first of them sends it, on its caller's thread.
final class AppendBatches: Sendable {
  /// What an append adds to a store, if the store's row is as it was.
  struct Change: Sendable {
    let store: StoreID
    let before: LogRow
    let after: LogRow
    let rows: [NewRow]
    let heads: [(branch: UInt32, value: [UInt8])]
  }

  /// An append that waits.
  private final class Entry: Sendable {
    let change: Change
    /// Signalled when the outcome is known, or when the caller must send the next batch.
    let woken = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<Bool, any Error>?>(nil)

    init(_ change: Change) {
      self.change = change
    }

    func end(_ result: Result<Bool, any Error>) {
      outcome.withLock { $0 = result }
      woken.signal()
    }
  }

  private let state = Mutex(State())

  private struct State {
    var waiting: [Entry] = []
    var isSending = false
  }

  /// The number of bytes above which a batch takes no further append.
  private static let maxByteCount = 256 << 10

  /// Commits a change.
  ///
  /// - Returns: False if nothing was written, because the store has changed, its row is locked, or
  ///   the server refuses an append of the batch.
  /// - Throws: `busy`, `unknownOutcome`.
  func commit(_ change: Change, in pool: PostgresPool) throws -> Bool {
    let entry = Entry(change)
    let mustWait = state.withLock { state in
      defer { state.isSending = true }
      if state.isSending { state.waiting.append(entry) }
      return state.isSending
    }
    if mustWait {
      entry.woken.wait()
      if let outcome = entry.outcome.withLock({ $0 }) { return try outcome.get() }
    }
    defer { passOn() }
    let others = takeOthers(alongside: change)
    let result = Result { try Self.send([change] + others.map(\.change), in: pool) }
    for other in others { other.end(result.map { $0.contains(other.change.store) }) }
    return try result.get().contains(change.store)
  }

  // MARK: -

  /// Takes the appends that travel with a change: at most one of each store.
  private func takeOthers(alongside change: Change) -> [Entry] {
    state.withLock { state in
      var stores: Set<StoreID> = [change.store]
      var byteCount = change.byteCount
      var taken: [Entry] = []
      state.waiting.removeAll { entry in
        guard byteCount < Self.maxByteCount, stores.insert(entry.change.store).inserted else {
          return false
        }
        byteCount += entry.change.byteCount
        taken.append(entry)
        return true
      }
      return taken
    }
  }

  /// Wakes the append that sends the next batch.
  private func passOn() {
    let next = state.withLock { state -> Entry? in
      state.isSending = !state.waiting.isEmpty
      return state.isSending ? state.waiting.removeFirst() : nil
    }
    next?.woken.signal()
  }

  /// Commits changes, and returns the stores that had not changed.
  private static func send(_ changes: [Change], in pool: PostgresPool) throws -> Set<StoreID> {
    do {
      let stores = try pool.commit(statement(changes))
      return Set(try (0..<stores.count).map { try stores.store($0, 0) })
    } catch let error as LogError {
      if [.busy, .unknownOutcome, .closed].contains(error.code) { throw error }
      // One of them is refused. Alone, each learns whether it is that one.
      return []
    }
  }

  private static func statement(_ changes: [Change]) -> PostgresStatement {
    let rows = changes.flatMap { change in change.rows.map { (change.store.bytes, $0) } }
    let heads = changes.flatMap { change in change.heads.map { (change.store.bytes, $0) } }
    return PostgresStatement(
      sql,
      [
        .list(changes.map(\.store.bytes)), .integers(changes.map(\.before.stamp)),
        .integers(changes.map(\.after.stamp)), .integers(changes.map(\.after.lastPosition)),
        .integers(changes.map { $0.after.byteCount &- $0.before.byteCount }),
        .list(rows.map(\.0)), .integers(rows.map(\.1.run.firstPosition)),
        .integers(rows.map { UInt64($0.1.run.branch) }),
        .integers(rows.map(\.1.run.firstSequence)), .integers(rows.map(\.1.run.count)),
        .list(rows.map(\.1.ids)), .list(rows.map(\.1.contents)),
        .flags(rows.map(\.1.isDeflated)), .list(heads.map(\.0)),
        .integers(heads.map { UInt64($0.1.branch) }), .list(heads.map(\.1.value)),
      ])
  }

  /// Writes what belongs to the stores whose rows are as they were, and returns these.
  ///
  /// A row that another transaction holds is left out: a person must not wait for another one, and
  /// two batches cannot lock each other out.
  private static let sql = """
    WITH same AS MATERIALIZED (
      SELECT store FROM log JOIN unnest($1::bytea[], $2::bigint[]) AS seen (store, stamp)
        USING (store, stamp)
      WHERE NOT is_fenced FOR UPDATE OF log SKIP LOCKED
    ), new_run AS (
      INSERT INTO run SELECT added.* FROM unnest(
        $6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[],
        $12::bytea[], $13::boolean[]
      ) AS added (store) JOIN same USING (store)
    ), new_head AS (
      INSERT INTO head SELECT moved.* FROM unnest($14::bytea[], $15::bigint[], $16::bytea[])
        AS moved (store) JOIN same USING (store)
      ON CONFLICT (store, branch) DO UPDATE SET value = excluded.value
    )
    UPDATE log SET stamp = next.stamp, last_position = next.last_position,
      byte_count = log.byte_count + next.added
    FROM same JOIN unnest($1::bytea[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS next (store, stamp, last_position, added) USING (store)
    WHERE log.store = same.store RETURNING log.store
    """
}

extension AppendBatches.Change {
  fileprivate var byteCount: Int { rows.reduce(0) { $0 + $1.byteCount } }
}
#endif
