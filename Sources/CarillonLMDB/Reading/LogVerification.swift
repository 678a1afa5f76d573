internal import CarillonModel

/// A walk over a whole snapshot that collects what is wrong with it.
struct LogVerification {
  private(set) var problems: [LogProblem] = []
  /// The events whose content is missing; no damage of this log, which hides none.
  private(set) var missing: [LogProblem] = []
  private let snapshot: LogSnapshot
  private let maxProblemCount: Int
  /// By branch: the last event that was met.
  private var heads: [Head?]
  /// By branch: the run in which that event stands.
  private var runs: [StoredRun?]
  /// How many events were met that close branches.
  private var closingCount = 0

  private struct Head {
    let sequence: UInt64
    let id: EventID
  }

  init(_ snapshot: LogSnapshot, maxProblemCount: Int) {
    self.snapshot = snapshot
    self.maxProblemCount = maxProblemCount
    heads = Array(repeating: nil, count: snapshot.state.branches.count)
    runs = Array(repeating: nil, count: snapshot.state.branches.count)
  }

  private var isFull: Bool { problems.count >= maxProblemCount }

  /// Bounds and order on every page of every database; and the free list, which LMDB writes over:
  /// it may name no page that is in use.
  mutating func checkPages(_ pages: PageSnapshot) {
    var isUsed = [Bool](repeating: false, count: Int(pages.map.pageCount))
    func note(_ first: UInt64, _ count: UInt64) throws(LogError) {
      for page in Int(first)..<Int(first + count) {
        guard !isUsed[page] else { throw .corrupt("page \(page) is used twice") }
        isUsed[page] = true
      }
    }
    let problem = Self.problem { () throws(LogError) in
      try pages.main.checkAll(noting: note)
      try pages.freeList.tree.checkAll(noting: note)
    }
    add(nil, problem)
    for database in LogDatabase.allCases {
      let problem = Self.problem { () throws(LogError) in
        try pages.tree(database).checkAll(noting: note)
      }
      add(nil, problem)
    }
    let freeListProblem = Self.problem { () throws(LogError) in
      try pages.freeList.check { page throws(LogError) in
        if isUsed[Int(page)] { throw .freePageInUse(page) }
      }
    }
    add(nil, freeListProblem)
  }

  /// Every event: its place, its ID, its run.
  ///
  /// One that cannot be read is passed over.
  mutating func checkEvents() throws {
    let last = snapshot.state.lastPosition
    var next: UInt64 = 1
    while next <= last, !isFull {
      do {
        var misplaced: UInt64?
        _ = try EventScan(snapshot).visit(next...last, noteMisplaced: { misplaced = $0 }) { event in
          next = event.position.rawValue + 1
          if misplaced == event.position.rawValue {
            add(misplaced, "The event names a place that is not its own.")
          }
          check(event)
          return !isFull
        }
        if isFull { return }
        next = last + 1
      } catch let error as LogError where error.code == .corrupt {
        add(next, error.message)
        next += 1
      }
    }
  }

  /// Every run is one of a branch that is there, and together they have as many events as the log.
  mutating func checkRuns() {
    let (branchCount, last) = (snapshot.state.branches.count, snapshot.state.lastPosition)
    var count: UInt64 = 0
    let problem = Self.problem { () throws(LogError) in
      try snapshot.runs.checkAll { cell throws(LogError) in
        let run = try StoredRun(key: cell.key, value: cell.value(snapshot.runs.map))
        guard run.branch < branchCount, run.firstPosition + run.count - 1 <= last else {
          throw .corrupt("a run of branch \(run.branch) names events that are not there")
        }
        count = count.addingReportingOverflow(run.count).partialValue
      }
    }
    add(nil, problem)
    if count != last && !isFull {
      add(nil, "The runs have \(count) events, the log has \(last).")
    }
  }

  /// Every branch ends in the event that stands as its head, also in its row.
  mutating func checkHeads() {
    for branch in snapshot.state.repairedBranches.sorted() where !isFull {
      add(nil, "Branch \(branch) was stored with another head than its last event.")
    }
    for branch in snapshot.state.branches where !isFull {
      let head = heads[Int(branch.index.rawValue)]
      if head?.id != branch.headID || head?.sequence != branch.headSequence.rawValue {
        add(nil, "Branch \(branch.index.rawValue) does not end in its head.")
      }
    }
  }

  /// Every event that closes branches is noted, and nothing else.
  mutating func checkClosings() {
    let count = snapshot.state.branches.reduce(0) { $0 + $1.closings.count }
    if count != closingCount && !isFull {
      add(nil, "\(closingCount) events close branches, and \(count) are noted.")
    }
  }

  // MARK: -

  private mutating func check(_ event: RawEvent) {
    let branch = snapshot.state.branches[Int(event.branch.rawValue)]
    let (sequence, position) = (event.sequence.rawValue, event.position.rawValue)
    let previous = heads[Int(event.branch.rawValue)]
    let wanted = previous.map { $0.sequence + 1 } ?? branch.firstSequence.rawValue
    if sequence != wanted {
      add(position, "It has the sequence \(sequence) instead of \(wanted).")
    }
    var isMissing = false
    let problem = Self.problem { () throws(LogError) in
      let before =
        if let previous { previous.id } else {
          try snapshot.previousID(
            on: branch.index.rawValue, before: branch.firstSequence.rawValue)
        }
      let id = EventChain.id(
        sequence: event.sequence, timestamp: event.id.timestamp, previous: before,
        payload: event.digest)
      guard id != event.id else { return }
      isMissing = event.isMissing
      guard isMissing else {
        throw .corrupt("an event does not come to its ID")
      }
    }
    add(position, problem)
    if isMissing { addMissing(event.position) }
    checkRun(of: event)
    checkClosing(event, isIntact: problem == nil && !isMissing)
    heads[Int(event.branch.rawValue)] = Head(sequence: sequence, id: event.id)
  }

  private mutating func checkClosing(_ event: RawEvent, isIntact: Bool) {
    let branch = snapshot.state.branches[Int(event.branch.rawValue)]
    let noted = branch.closings.first { $0.sequence == event.sequence }
    // Of an event whose content is damaged or gone nothing can be said.
    if noted != nil, !isIntact || event.payload.isEmpty { closingCount += 1 }
    guard isIntact, let closed = BranchesClosed(written: event.payload) else { return }
    closingCount += 1
    let problem = Self.problem { () throws(LogError) in
      var ids: [EventID] = []
      for place in noted?.closed ?? [] {
        ids.append(try snapshot.id(of: place.branch.rawValue, at: place.sequence.rawValue))
      }
      guard ids == closed.heads.map(\.id) else {
        throw .corrupt("what it closes is not what is noted; close the branches again")
      }
    }
    add(event.position.rawValue, problem)
  }

  private mutating func checkRun(of event: RawEvent) {
    let (branch, sequence) = (event.branch.rawValue, event.sequence.rawValue)
    if runs[Int(branch)].map({ sequence >= $0.endSequence }) ?? true {
      var found: StoredRun?
      let problem = Self.problem { () throws(LogError) in
        found = try snapshot.run(of: branch, atOrBefore: sequence)
      }
      add(event.position.rawValue, problem)
      runs[Int(branch)] = found
    }
    guard let run = runs[Int(branch)], sequence >= run.firstSequence, sequence < run.endSequence,
      run.firstPosition + (sequence - run.firstSequence) == event.position.rawValue
    else { return add(event.position.rawValue, "The event is not where its run says.") }
  }

  private static func problem(_ body: () throws(LogError) -> Void) -> LogError? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private mutating func addMissing(_ position: Position) {
    guard missing.count < maxProblemCount else { return }
    missing.append(
      LogProblem(.missingContent, at: position, "the content of the event is missing"))
  }

  private mutating func add(_ position: UInt64?, _ error: LogError?) {
    guard let error else { return }
    if case .needsCompacting(let problem) = error.reason {
      add(position, "free pages: \(problem)", .freePages)
    } else {
      add(position, error.message)
    }
  }

  private mutating func add(
    _ position: UInt64?, _ message: String, _ kind: LogProblem.Kind = .damage
  ) {
    guard !isFull else { return }
    problems.append(LogProblem(kind, at: position.map(Position.init(rawValue:)), message))
  }
}
