internal import CarillonLog
internal import CarillonModel

/// One write transaction, used on the writer's thread only.
final class SQLiteTransaction: LogTransaction, RunIndexedView {
  var state: LogState
  let base: LogState
  private(set) var putCount = 0
  private let connection: Connection
  private let byteLimit: UInt64
  private var runs = ExtendedRuns()
  /// Returns the connection to the pool.
  private var end: (() -> Void)?

  /// Starts a transaction, and waits for other processes if necessary.
  ///
  /// - Parameters:
  ///   - connection: The connection to use; `end` returns it when the transaction has ended.
  ///   - byteLimit: The most bytes of the used pages after new events.
  ///   - load: Returns the state in the transaction.
  /// - Throws: `busy`, `readOnly`, `full`, `corrupt`, `io`.
  init(
    _ connection: Connection, byteLimit: UInt64 = .max, load: (Connection) throws -> LogState,
    end: @escaping () -> Void
  ) throws {
    (self.connection, self.byteLimit) = (connection, byteLimit)
    do {
      try connection.execute("BEGIN IMMEDIATE")
      state = try load(connection)
      base = state
      self.end = end
    } catch {
      Self.rollBack(connection)
      end()
      throw error
    }
  }

  // MARK: Look-ups, which see the writes of this transaction

  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun? {
    try connection.run(of: branch, atOrBefore: sequence)
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws { try connection.visitRuns(body) }

  func header(at position: UInt64) throws -> EventHeader { try connection.header(at: position) }

  func event(at position: UInt64) throws -> HeldEvent { try connection.event(at: position) }

  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try SQLiteSnapshot(connection: connection, state: state).visitRows(positions, body)
  }

  // MARK: Writing

  func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) throws {
    let usedByteCount = byteLimit == .max ? 0 : try connection.byteCount()
    // A small event may fit into a page that is used already.
    guard usedByteCount < byteLimit else {
      throw LogError.overQuota(bytes: byteLimit, used: usedByteCount)
    }
    putCount += contents.count
    let insert = try connection.statement("INSERT INTO event VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
    insert.bind(2, UInt64(place.branch))
    for (offset, (content, id)) in zip(contents, ids).enumerated() {
      insert.bind(1, place.position + UInt64(offset))
      insert.bind(3, place.sequence + UInt64(offset))
      try Self.run(insert, id: id, content)
    }
    let count = UInt64(contents.count)
    _ = try runs.extend(
      place.branch, by: count, sequence: place.sequence, position: place.position
    ) { try connection.run(of: place.branch, atOrBefore: place.sequence) }
    if let run = runs.runs[place.branch] { try put(run) }
    guard try byteLimit == .max || connection.byteCount() <= byteLimit else {
      throw LogError.overQuota(bytes: byteLimit, used: usedByteCount)
    }
  }

  func replace(at position: UInt64, by event: HeldEvent) throws {
    putCount += 1
    let update = try connection.statement(
      """
      UPDATE event SET branch = ?2, sequence = ?3, id = ?4, payload = ?5, erasure = ?6
      WHERE position = ?1
      """)
    update.bind(1, position)
    update.bind(2, UInt64(event.header.branch))
    update.bind(3, event.header.sequence)
    try Self.run(update, id: event.id, event.content)
  }

  func put(_ closing: Branch.Closing, on branch: UInt32) throws {
    try put(
      ClosingRow.value(of: closing, on: branch), closing.position.rawValue,
      "REPLACE INTO closing VALUES(?1, ?2)")
  }

  func rebuildRuns() throws -> [ClosingEvent] {
    putCount += 1
    try connection.execute("DELETE FROM run")
    return try visitRunsOfEvents(put)
  }

  func putMeta(_ key: MetaKey, _ value: [UInt8]) throws {
    putCount += 1
    state.meta[key] = value
    let replace = try connection.statement("REPLACE INTO meta VALUES(?1, ?2)")
    replace.bind(1, key.rawValue)
    replace.bind(2, value)
    try replace.run()
  }

  func commit() throws {
    do {
      try flush()
      try connection.execute("COMMIT")
    } catch {
      abort()
      throw error
    }
    end?()
    end = nil
  }

  func abort() {
    guard let end else { return }
    Self.rollBack(connection)
    end()
    self.end = nil
  }

  // MARK: -

  private func flush() throws {
    for branch in state.unsavedBranches.sorted() {
      try put(
        BranchRow.value(of: state.branches[Int(branch)]), UInt64(branch),
        "REPLACE INTO branch VALUES(?1, ?2)")
    }
    state.unsavedBranches = []
    if state.ownBranch != base.ownBranch {
      try putMeta(.branch, LogState.ownBranchBytes(state.ownBranch))
    }
    if state.meta.checksum != state.meta[.checksum] {
      try putMeta(.checksum, state.meta.checksum)
    }
    if state.lastPosition == base.lastPosition {
      let count = try connection.integer("PRAGMA user_version") ?? 0
      try connection.execute("PRAGMA user_version = \(count + 1)")
    }
    // Events that were damaged may now be intact.
    if state.lastPosition == base.lastPosition { state.forks = [:] }
    state.commit = try SQLiteTables.commit(connection)
  }

  private func put(_ run: StoredRun) throws {
    let replace = try connection.statement("REPLACE INTO run VALUES(?1, ?2, ?3, ?4)")
    replace.bind(1, UInt64(run.branch))
    replace.bind(2, run.firstSequence)
    replace.bind(3, run.firstPosition)
    replace.bind(4, run.count)
    try replace.run()
  }

  private func put(_ value: [UInt8], _ key: UInt64, _ sql: String) throws {
    putCount += 1
    let replace = try connection.statement(sql)
    replace.bind(1, key)
    replace.bind(2, value)
    try replace.run()
  }

  /// Binds an ID and a content to the parameters 4 to 6, without copying, and runs the statement.
  private static func run(
    _ statement: Statement, id: EventID, _ content: StoredContent
  ) throws {
    try withUnsafeBytes(of: id.bigEndianWords) { id in
      statement.bind(4, unowned: id)
      switch content {
      case .payload(let payload):
        try payload.withUnsafeBytes { payload in
          statement.bind(5, unowned: payload)
          statement.bind(6, unowned: nil)
          try statement.run()
        }
      case .redacted(let redacted):
        statement.bind(5, redacted.digest.bytes)
        statement.bind(6, redacted.erasure.bytes)
        try statement.run()
      case .missing:
        statement.bind(5, unowned: nil)
        statement.bind(6, unowned: nil)
        try statement.run()
      }
    }
  }

  private static func rollBack(_ connection: Connection) {
    // SQLite itself may have rolled back already, for example after a full disk. If the rollback
    // fails, the connection is unusable and its next use throws an error.
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
  }
}
