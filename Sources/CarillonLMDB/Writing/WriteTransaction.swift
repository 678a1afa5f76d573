internal import CLMDB
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// One write transaction, used on the writer's thread only.
///
/// Events are written immediately. Branches and runs that changed are written once, before the
/// commit. Look-ups of the transaction's own events use memory; look-ups of earlier events use the
/// snapshot that it is based on. Ends with ``commit()`` or ``abort()``.
final class WriteTransaction {
  /// The state of the log after the commit.
  var state: LogState
  /// The number of values that were written.
  ///
  /// A call that fails without writing any does not affect the other calls of its group.
  private(set) var putCount = 0
  /// The number of the log's events that were looked up.
  var lookUpCount = 0
  /// The log before the transaction.
  let base: LogSnapshot
  private let pages: PageSnapshot
  private let environment: LogEnvironment
  private let reader: PageReader
  /// The page that the commit overwrites, as it was before.
  private let olderMetaPage: MetaPage
  private var transaction: OpaquePointer?
  private var eventCursor: OpaquePointer?
  private var runs: [UInt32: StoredRun] = [:]
  private var changedBranches: Set<UInt32> = []
  private var isMetaChanged = false
  /// The uses of the previous snapshot's pages, once they were needed.
  private var pageUse: PageUse?
  /// The positions of earlier events whose content was replaced.
  var replaced: Set<UInt64> = []
  /// The IDs of this transaction's events, in order, by branch.
  private var written: [UInt32: [WrittenEvents]] = [:]

  /// Consecutive events of one branch.
  private struct WrittenEvents {
    let firstSequence: UInt64
    let ids: ArraySlice<EventID>
  }

  /// An existing branch, or a branch to be opened.
  enum Target {
    case branch(Int)
    case new(ReplicaID, parent: Branch.Parent?)
  }

  init(environment: LogEnvironment, load: (PageSnapshot) throws -> LogState) throws {
    let transaction = try environment.beginWriting()
    do {
      // No other process can write now, so this is the snapshot that the transaction is based on.
      let reader = try environment.beginReading()
      do {
        try environment.place.check()
        olderMetaPage = try reader.requireNewest()
        let pages = try reader.snapshot()
        state = try load(pages)
        base = try LogSnapshot(pages, state: state)
        self.pages = pages
        try environment.requireSoundPages(of: base, pages)
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
    changedBranches = state.repairedBranches
  }

  /// Writes events to the end of the log and of a branch.
  ///
  /// - Parameters:
  ///   - contents: The contents of the events, at least one.
  ///   - ids: The IDs of the events, one for each.
  /// - Returns: The first position, the branch and the first sequence.
  func put(
    _ contents: some RandomAccessCollection<EventContent>, ids: ArraySlice<EventID>,
    on target: Target
  ) throws -> (position: UInt64, branch: UInt32, sequence: UInt64) {
    guard let last = ids.last else { preconditionFailure("there is no event to put") }
    let place = try makePlace(for: target)
    let position = state.lastPosition + 1
    let sequence = place.sequence
    guard position + UInt64(ids.count) < LogFormat.maxCounter else {
      throw LogError.corrupt("position \(position) is out of range")
    }
    try putEvents(contents, ids, branch: place.branch, sequence: sequence, position: position)
    try extendRun(of: place.branch, by: UInt64(ids.count), sequence: sequence, position: position)
    written[place.branch, default: []].append(WrittenEvents(firstSequence: sequence, ids: ids))
    advance(place, from: ids[ids.startIndex], to: last, count: UInt64(ids.count), target: target)
    return (position, place.branch, sequence)
  }

  /// Returns the ID of one of the branch's own events, including this transaction's.
  func id(of branch: UInt32, at sequence: UInt64) throws -> EventID {
    if let written = written[branch], let first = written.first, sequence >= first.firstSequence {
      for events in written.reversed() where sequence >= events.firstSequence {
        return events.ids[events.ids.startIndex + Int(sequence - events.firstSequence)]
      }
    }
    lookUpCount += 1
    guard !replaced.isEmpty else { return try base.id(of: branch, at: sequence) }
    return try event(of: branch, at: sequence).record.id
  }

  /// Takes a new identity, which applies from the next own event on.
  func adopt(_ replica: ReplicaID) throws {
    state.adopt(replica)
    try putMeta(.replica, state.replica.bytes)
    if let predecessor = state.predecessor { try putMeta(.predecessor, predecessor.bytes) }
  }

  /// Records the marker file's contents.
  func setMarker(_ marker: IdentityMarker) throws {
    state.marker = marker
    try putMeta(.marker, marker.bytes)
  }

  /// Takes a new identity if the marker differs from the log's, as in a copied directory.
  ///
  /// - Returns: Whether it took a new identity.
  @discardableResult
  func claim(
    _ marker: IdentityMarker, makeReplicaID: () -> ReplicaID
  ) throws -> Bool {
    guard state.marker != marker else { return false }
    try adopt(makeReplicaID())
    try setMarker(marker)
    return true
  }

  /// Records the generation of the projection that is in use.
  func setGeneration(_ generation: UInt64) throws {
    state.generation = generation
    try putMeta(.generation, generation.bigEndianBytes)
  }

  /// Makes all changes durable, and returns the state after them.
  ///
  /// - Throws: ``StorageFailure``. In that case nothing was written and the transaction has ended.
  func commit() throws -> LogState {
    do {
      try flush()
      state.repairedBranches = []
      try environment.place.check()
    } catch {
      abort()
      throw error
    }
    state.transaction = UInt64(mdb_txn_id(transaction))
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
    environment.checkedTransaction.store(state.transaction, ordering: .relaxed)
    return state
  }

  /// Ends the transaction and discards its changes.
  func abort() {
    guard let transaction else { return }
    mdb_txn_abort(transaction)
    environment.endWriting()
    self.transaction = nil
    reader.end()
  }
}

// MARK: - Putting

extension WriteTransaction {
  private func makePlace(for target: Target) throws -> (branch: UInt32, sequence: UInt64) {
    switch target {
    case .branch(let index):
      let branch = state.branches[index]
      return (branch.index.rawValue, branch.headSequence.rawValue + 1)
    case .new(_, let parent):
      guard state.branches.count <= Int(LogFormat.maxBranchIndex) else {
        throw LogError(
          code: .full, message: "the log has \(state.branches.count) branches, which is the limit")
      }
      return (UInt32(state.branches.count), (parent?.sequence.rawValue ?? 0) + 1)
    }
  }

  private func putEvents(
    _ contents: some RandomAccessCollection<EventContent>, _ ids: ArraySlice<EventID>,
    branch: UInt32, sequence: UInt64, position: UInt64
  ) throws {
    let cursor = try openEventCursor()
    let flags = UInt32(MDB_APPEND) | UInt32(MDB_RESERVE)
    var position = position.bigEndian
    var sequence = sequence
    putCount += ids.count
    try withUnsafeMutableBytes(of: &position) { keyBytes in
      var key = MDB_val(mv_size: 8, mv_data: keyBytes.baseAddress)
      var id = ids.startIndex
      for content in contents {
        var value = MDB_val(
          mv_size: LogFormat.eventHeaderByteCount + content.byteCount, mv_data: nil)
        try check(mdb_cursor_put(cursor, &key, &value, flags), "cannot write an event")
        guard let start = value.mv_data else { preconditionFailure("LMDB reserved no memory") }
        EventRecord.storeHeader(
          branch: branch | content.branchMark, sequence: sequence, id: ids[id], to: start)
        content.store(to: start + LogFormat.eventHeaderByteCount)
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

  private func extendRun(
    of branch: UInt32, by count: UInt64, sequence: UInt64, position: UInt64
  ) throws {
    let last = try runs[branch] ?? base.run(of: branch, atOrBefore: sequence)
    if var last, last.endSequence == sequence, last.firstPosition + last.count == position {
      last.count += count
      runs[branch] = last
    } else {
      if let finished = runs[branch] { try put(finished) }
      runs[branch] = StoredRun(
        branch: branch, firstSequence: sequence, firstPosition: position, count: count)
    }
  }

  private func advance(
    _ place: (branch: UInt32, sequence: UInt64), from first: EventID, to last: EventID,
    count: UInt64, target: Target
  ) {
    let index = Int(place.branch)
    let headSequence = SequenceNumber(rawValue: place.sequence + count - 1)
    if opensHead(target) { state.openCount += 1 }
    switch target {
    case .branch:
      state.heads[state.branches[index].headID] = nil
      state.branches[index].headSequence = headSequence
      state.branches[index].headID = last
      state.branches[index].isClosed = false
    case .new(let replica, let parent):
      state.branches.append(
        Branch(
          index: BranchIndex(rawValue: place.branch), replica: replica, parent: parent,
          headSequence: headSequence, headID: last))
      state.places[replica, default: []].append(index)
      state.forks[replica]?.byFirstID[first] = index
      if replica == state.replica && state.ownBranch == nil { state.ownBranch = index }
    }
    state.heads[last] = index
    state.lastPosition += count
    state.greatest = Timestamp.greatest(last.timestamp, state.greatest)
    changedBranches.insert(place.branch)
  }

  private func flush() throws {
    if state.ownBranch != base.state.ownBranch {
      try putMeta(.branch, LogState.ownBranchBytes(state.ownBranch))
    }
    if isMetaChanged { try putMeta(.checksum, state.meta.checksum) }
    for branch in changedBranches.sorted() {
      if let run = runs[branch] { try put(run) }
      try put(BranchRow.value(of: state.branches[Int(branch)]), key: branch, in: .branches)
    }
  }

  /// Writes a run.
  ///
  /// LMDB follows the path to it and trusts the pages that it meets, so they are checked first.
  private func put(_ run: StoredRun) throws {
    try RunKey(branch: run.branch, sequence: run.firstSequence).withBytes { key in
      try base.runs.checkPath(to: key)
      try withUnsafeBytes(of: run.value) { try put(key, $0, in: .runs) }
    }
  }

  private func put(_ value: [UInt8], key: UInt32, in database: LogDatabase) throws {
    try withUnsafeBytes(of: key.bigEndian) { key in
      try value.withUnsafeBytes { try put(key, $0, in: database) }
    }
  }

  /// Checks that LMDB frees only an event's own pages when its content is replaced.
  func requireOwnPages(ofEventAt position: UInt64) throws {
    guard !replaced.contains(position) else { return }
    try base.checkOverflow(ofEventAt: position) {
      let use = try pageUse ?? PageUse(pages)
      pageUse = use
      return use
    }
  }

  /// Returns the value of an event, including this transaction's changes.
  func value(ofEventAt position: UInt64) throws -> UnsafeRawBufferPointer {
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

  func put(
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
