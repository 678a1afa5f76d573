internal import CLMDB
internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// One write transaction, used on the writer's thread only.
///
/// Events are written immediately. Branches and runs that changed are written once, before the
/// commit. Look-ups of the transaction's own events use memory; look-ups of earlier events use the
/// snapshot that it is based on. Ends with ``commit()`` or ``abort()``.
final class WriteTransaction: LogTransaction {
  /// The state of the log after the commit.
  var state: LogState
  /// The number of values that were written.
  ///
  /// A call that fails without writing any does not affect the other calls of its group.
  private(set) var putCount = 0
  /// The number of the log's events that were looked up.
  private var lookUpCount = 0
  private let noteLookUps: (Int) -> Void
  /// The log before the transaction.
  let before: LogSnapshot
  private let pages: PageSnapshot
  private let environment: LogEnvironment
  private let reader: PageReader
  /// The page that the commit overwrites, as it was before.
  private let olderMetaPage: MetaPage
  private var transaction: OpaquePointer?
  private var eventCursor: OpaquePointer?
  private var runs = ExtendedRuns()
  private var isMetaChanged = false
  /// The uses of the previous snapshot's pages, once they were needed.
  private var pageUse: PageUse?
  /// The positions of earlier events whose content was replaced.
  private var replaced: Set<UInt64> = []
  /// The IDs of this transaction's events, in order, by branch.
  private var written: [UInt32: [WrittenEvents]] = [:]

  /// Consecutive events of one branch.
  private struct WrittenEvents {
    let firstSequence: UInt64
    let ids: ArraySlice<EventID>
  }

  init(
    environment: LogEnvironment, load: (PageSnapshot) throws -> LogState,
    noteLookUps: @escaping (Int) -> Void = { _ in }
  ) throws {
    self.noteLookUps = noteLookUps
    let transaction = try environment.beginWriting()
    do {
      // No other process can write now, so this is the snapshot that the transaction is based on.
      let reader = try environment.beginReading()
      do {
        try environment.place.check()
        olderMetaPage = try reader.requireNewest()
        let pages = try reader.snapshot()
        state = try load(pages)
        before = try LogSnapshot(pages, state: state)
        self.pages = pages
        try environment.requireSoundPages(of: before, pages)
      } catch {
        reader.end()
        throw error
      }
      self.reader = reader
    } catch {
      mdb_txn_abort(transaction)
      environment.endWriting()
      throw error
    }
    self.transaction = transaction
    self.environment = environment
  }

  var base: LogState { before.state }

  func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) throws {
    try putEvents(contents, ids, at: place)
    let ended = try runs.extend(
      place.branch, by: UInt64(ids.count), sequence: place.sequence, position: place.position
    ) { try before.run(of: place.branch, atOrBefore: place.sequence) }
    if let ended { try put(ended) }
    written[place.branch, default: []].append(
      WrittenEvents(firstSequence: place.sequence, ids: ids))
  }

  /// Returns the ID of one of the branch's own events, including this transaction's.
  func id(of branch: UInt32, at sequence: UInt64) throws -> EventID {
    if let written = written[branch], let first = written.first, sequence >= first.firstSequence {
      for events in written.reversed() where sequence >= events.firstSequence {
        return events.ids[events.ids.startIndex + Int(sequence - events.firstSequence)]
      }
    }
    lookUpCount += 1
    guard !replaced.isEmpty else { return try before.id(of: branch, at: sequence) }
    return try header(at: position(of: branch, at: sequence)).id
  }

  func commit() throws {
    do {
      try flush()
      state.unsavedBranches = []
      try environment.place.check()
    } catch {
      abort()
      throw error
    }
    state.commit = UInt64(mdb_txn_id(transaction))
    // Events that were damaged may now be intact.
    if !replaced.isEmpty { state.forks = [:] }
    let committing = transaction
    transaction = nil
    reader.end()
    let code = mdb_txn_commit(committing)
    defer { environment.endWriting() }
    guard code == 0 else {
      try environment.file.restore(olderMetaPage)
      throw StorageFailure(
        code: code == EIO ? environment.file.codeOfShortWrite() : code, action: "cannot commit")
    }
    environment.checkedTransaction.store(state.commit, ordering: .relaxed)
  }

  func abort() {
    noteLookUps(lookUpCount)
    lookUpCount = 0
    guard let transaction else { return }
    mdb_txn_abort(transaction)
    environment.endWriting()
    self.transaction = nil
    reader.end()
  }
}

// MARK: - Look-ups of earlier events, including this transaction's changes

extension WriteTransaction {
  func position(of branch: UInt32, at sequence: UInt64) throws -> UInt64 {
    try before.position(of: branch, at: sequence)
  }

  func header(at position: UInt64) throws -> EventHeader {
    try record(at: position).header
  }

  func event(at position: UInt64) throws -> HeldEvent {
    try record(at: position).held
  }

  func visitRows(
    of branch: UInt32, _ sequences: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try before.visitRows(of: branch, sequences, body)
  }

  private func record(at position: UInt64) throws -> EventRecord {
    lookUpCount += 1
    guard replaced.contains(position) else { return try before.record(at: position) }
    return try EventRecord(value(ofEventAt: position), at: position)
  }
}

// MARK: - Putting

extension WriteTransaction {
  func replace(at position: UInt64, by event: HeldEvent) throws {
    var value = [UInt8](
      repeating: 0, count: LogFormat.eventHeaderByteCount + event.content.byteCount)
    value.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      EventRecord.storeHeader(
        branch: event.header.branch | event.content.branchMark, sequence: event.header.sequence,
        id: event.id, to: start)
      event.content.store(to: start + LogFormat.eventHeaderByteCount)
    }
    try requireOwnPages(ofEventAt: position)
    replaced.insert(position)
    try withUnsafeBytes(of: position.bigEndian) { key in
      // LMDB follows the path to the event and trusts the pages that it meets.
      try before.events.checkPath(to: key)
      try value.withUnsafeBytes { try put(key, $0, in: .events) }
    }
  }

  func put(_ closing: Branch.Closing, on branch: UInt32) throws {
    try withUnsafeBytes(of: closing.position.rawValue.bigEndian) { key in
      try ClosingRow.value(of: closing, on: branch).withUnsafeBytes {
        try put(key, $0, in: .closings)
      }
    }
  }

  func rebuildRuns() throws -> [ClosingEvent] {
    // LMDB trusts the pages that it frees.
    try pages.tree(.runs).checkAll()
    putCount += 1
    try check(mdb_drop(transaction, environment.databases[.runs], 0), "cannot rewrite the runs")
    return try before.visitRunsOfEvents { run in
      try RunKey(branch: run.branch, sequence: run.firstSequence).withBytes { key in
        try withUnsafeBytes(of: run.value) { try put(key, $0, in: .runs) }
      }
    }
  }

  private func putEvents(
    _ contents: [StoredContent], _ ids: ArraySlice<EventID>, at place: LogState.Place
  ) throws {
    let cursor = try openEventCursor()
    let flags = UInt32(MDB_APPEND) | UInt32(MDB_RESERVE)
    var position = place.position.bigEndian
    var sequence = place.sequence
    putCount += ids.count
    try withUnsafeMutableBytes(of: &position) { keyBytes in
      var key = MDB_val(mv_size: 8, mv_data: keyBytes.baseAddress)
      var id = ids.startIndex
      // A span reads its elements without copying them.
      let contents = contents.span
      for index in contents.indices {
        var value = MDB_val(
          mv_size: LogFormat.eventHeaderByteCount + contents[index].byteCount, mv_data: nil)
        try check(mdb_cursor_put(cursor, &key, &value, flags), "cannot write an event")
        guard let start = value.mv_data else { preconditionFailure("LMDB reserved no memory") }
        EventRecord.storeHeader(
          branch: place.branch | contents[index].branchMark, sequence: sequence, id: ids[id],
          to: start)
        contents[index].store(to: start + LogFormat.eventHeaderByteCount)
        let next = UInt64(bigEndian: keyBytes.load(as: UInt64.self)) + 1
        keyBytes.storeBytes(of: next.bigEndian, as: UInt64.self)
        sequence += 1
        id += 1
      }
    }
  }

  /// Opens the cursor for writing events.
  ///
  /// LMDB closes it when the transaction ends.
  private func openEventCursor() throws -> OpaquePointer {
    if let eventCursor { return eventCursor }
    try check(
      mdb_cursor_open(transaction, environment.databases[.events], &eventCursor),
      "cannot write events")
    return eventCursor.unsafelyUnwrapped
  }

  private func flush() throws {
    if state.ownBranch != base.ownBranch {
      try putMeta(.branch, LogState.ownBranchBytes(state.ownBranch))
    }
    if isMetaChanged { try putMeta(.checksum, state.meta.checksum) }
    for branch in state.unsavedBranches.sorted() {
      if let run = runs.runs[branch] { try put(run) }
      try put(BranchRow.value(of: state.branches[Int(branch)]), key: branch, in: .branches)
    }
  }

  /// Writes a run.
  ///
  /// LMDB follows the path to it and trusts the pages that it meets, so they are checked first.
  private func put(_ run: StoredRun) throws {
    try RunKey(branch: run.branch, sequence: run.firstSequence).withBytes { key in
      try before.runs.checkPath(to: key)
      try withUnsafeBytes(of: run.value) { try put(key, $0, in: .runs) }
    }
  }

  private func put(_ value: [UInt8], key: UInt32, in database: LogDatabase) throws {
    try withUnsafeBytes(of: key.bigEndian) { key in
      try value.withUnsafeBytes { try put(key, $0, in: database) }
    }
  }

  /// Checks that LMDB frees only an event's own pages when its content is replaced.
  private func requireOwnPages(ofEventAt position: UInt64) throws {
    guard !replaced.contains(position) else { return }
    try before.checkOverflow(ofEventAt: position) {
      let use = try pageUse ?? PageUse(pages, in: environment.file)
      pageUse = use
      return use
    }
  }

  /// Returns the value of an event, including this transaction's changes.
  private func value(ofEventAt position: UInt64) throws -> UnsafeRawBufferPointer {
    try withUnsafeBytes(of: position.bigEndian) { key in
      var key = MDB_val(mv_size: key.count, mv_data: .init(mutating: key.baseAddress))
      var value = MDB_val()
      try check(
        mdb_get(transaction, environment.databases[.events], &key, &value), "cannot read an event")
      return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }
  }

  /// Writes an entry of `meta`.
  ///
  /// The checksum is written before the commit.
  func putMeta(_ key: MetaKey, _ value: [UInt8]) throws {
    state.meta[key] = value
    isMetaChanged = true
    try Array(key.rawValue.utf8).withUnsafeBytes { key in
      try value.withUnsafeBytes { try put(key, $0, in: .meta) }
    }
  }

  private func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in database: LogDatabase
  ) throws {
    putCount += 1
    var key = MDB_val(mv_size: key.count, mv_data: .init(mutating: key.baseAddress))
    var value = MDB_val(mv_size: value.count, mv_data: .init(mutating: value.baseAddress))
    try check(
      mdb_put(transaction, environment.databases[database], &key, &value, 0),
      "cannot write to \(database.rawValue)")
  }
}
