internal import CarillonLog
internal import CarillonModel

/// The databases of one commit, as tables for the rules that all logs share.
struct LogTrees: LogTables {
  let events: Tree
  let runs: Tree
  let meta: MetaTable
  private let pages: PageSnapshot

  /// - Throws: `unsupportedFormat`, `corrupt`.
  init(_ pages: PageSnapshot) throws(LogError) {
    self.pages = pages
    events = try pages.tree(.events)
    runs = try pages.tree(.runs)
    var values: [String: [UInt8]] = [:]
    try Self.visit(try pages.tree(.meta)) { name, value in
      values[String(decoding: name, as: UTF8.self)] = Array(value)
    }
    meta = try MetaTable(values, version: LogFormat.version)
  }

  var commit: UInt64 { pages.transaction }

  func lastPosition() throws -> UInt64 {
    var cursor = events.cursor()
    guard try cursor.seekLast(), let (page, index) = cursor.leaf else { return 0 }
    let key = try page.cell(index).key
    guard key.count == 8 else { throw LogError.corrupt("a position has \(key.count) bytes") }
    return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
  }

  func branchRows() throws -> [BranchRow] {
    var rows: [BranchRow] = []
    try Self.visit(try pages.tree(.branches)) { key, value throws(LogError) in
      guard key.count == 4 else { throw .corrupt("the key of a branch has \(key.count) bytes") }
      let index = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
      rows.append(try BranchRow(index: index, value: Array(value)))
    }
    return rows
  }

  func closingRows() throws -> [ClosingRow] {
    var rows: [ClosingRow] = []
    try Self.visit(try pages.tree(.closings)) { key, value in
      guard key.count == 8 else { return }
      let position = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
      rows.append(ClosingRow(position: position, value: Array(value)))
    }
    return rows
  }

  func lastRun(of branch: UInt32) throws -> StoredRun? {
    try StoredRun.find(in: runs, branch, atOrBefore: LogLimits.maxCounter)
  }

  func lastRunBranch() throws -> UInt32? {
    var cursor = runs.cursor()
    guard try cursor.seekLast(), let (key, value) = try cursor.entry() else { return nil }
    return try StoredRun(key: key, value: value).branch
  }

  func view(_ state: LogState) throws -> any LogView { try LogSnapshot(pages, state: state) }

  // MARK: -

  private static func visit(
    _ tree: Tree,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(LogError) -> Void
  ) throws(LogError) {
    var cursor = tree.cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (key, value) = try cursor.entry() {
      try body(key, value)
      isFound = try cursor.next()
    }
  }
}

/// The log after one commit, for look-ups.
struct LogSnapshot: RunIndexedView {
  let state: LogState
  let events: Tree
  let runs: Tree

  init(_ pages: PageSnapshot, state: LogState) throws(LogError) {
    self.state = state
    events = try pages.tree(.events)
    runs = try pages.tree(.runs)
  }

  /// Returns the record at a position that the log has.
  func record(at position: UInt64) throws(LogError) -> EventRecord {
    let value = try withUnsafeBytes(of: position.bigEndian) { key throws(LogError) in
      try events.value(of: key)
    }
    guard let value else { throw LogError.corrupt("the event at position \(position) is missing") }
    return try EventRecord(value, at: position)
  }

  func header(at position: UInt64) throws -> EventHeader { try record(at: position).header }

  func event(at position: UInt64) throws -> HeldEvent { try record(at: position).held }

  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun? {
    try StoredRun.find(in: runs, branch, atOrBefore: sequence)
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws {
    var cursor = runs.cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (key, value) = try cursor.entry() {
      guard try body(StoredRun(key: key, value: value)) else { return }
      isFound = try cursor.next()
    }
  }

  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try EventScan(self).visitRows(positions, body)
  }
}
