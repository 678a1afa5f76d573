internal import CarillonModel

/// A check of a whole snapshot, which collects the problems that it finds.
struct LogVerification {
  private(set) var problems: [LogProblem] = []
  /// The events whose content is missing.
  ///
  /// This is not damage of the log, and does not hide any.
  private(set) var missing: [LogProblem] = []
  private let snapshot: LogSnapshot
  private let maxProblemCount: Int
  /// By branch: the last event that was checked.
  private var heads: [Head?]
  /// By branch: the run that contains that event.
  private var runs: [StoredRun?]
  /// The number of checked events that close branches.
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

  /// Checks bounds and order on every page of every database, and that the free list, whose pages
  /// LMDB overwrites, contains no page in use.
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

  /// Checks the place, the ID and the run of every event.
  ///
  /// An event that cannot be read is reported and skipped.
  mutating func checkEvents() throws {
    let last = snapshot.state.lastPosition
    var next: UInt64 = 1
    while next <= last, !isFull {
      do {
        var misplaced: UInt64?
        _ = try EventScan(snapshot).visit(next...last, noteMisplaced: { misplaced = $0 }) { event in
          next = event.position.rawValue + 1
          if misplaced == event.position.rawValue {
            add(misplaced, "the event has a wrong branch or sequence")
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

  /// Checks that every run belongs to an existing branch, and that the runs have as many events as
  /// the log.
  mutating func checkRuns() {
    let (branchCount, last) = (snapshot.state.branches.count, snapshot.state.lastPosition)
    var count: UInt64 = 0
    let problem = Self.problem { () throws(LogError) in
      try snapshot.runs.checkAll { cell throws(LogError) in
        let run = try StoredRun(key: cell.key, value: cell.value(snapshot.runs.map))
        guard run.branch < branchCount, run.firstPosition + run.count - 1 <= last else {
          throw .corrupt("a run of branch \(run.branch) contains events that do not exist")
        }
        count = count.addingReportingOverflow(run.count).partialValue
      }
    }
    add(nil, problem)
    if count != last && !isFull {
      add(nil, "the runs have \(count) events, but the log has \(last)")
    }
  }

  /// Checks that every branch ends with its head, also according to its row.
  mutating func checkHeads() {
    for branch in snapshot.state.repairedBranches.sorted() where !isFull {
      add(nil, "the stored head of branch \(branch) is not its last event")
    }
    for branch in snapshot.state.branches where !isFull {
      let head = heads[Int(branch.index.rawValue)]
      if head?.id != branch.headID || head?.sequence != branch.headSequence.rawValue {
        add(nil, "branch \(branch.index.rawValue) does not end with its head")
      }
    }
  }

  /// Checks that exactly the events that close branches are recorded as closings.
  mutating func checkClosings() {
    let count = snapshot.state.branches.reduce(0) { $0 + $1.closings.count }
    if count != closingCount && !isFull {
      add(nil, "\(closingCount) events close branches, but \(count) are recorded")
    }
  }

  // MARK: -

  private mutating func check(_ event: RawEvent) {
    let branch = snapshot.state.branches[Int(event.branch.rawValue)]
    let (sequence, position) = (event.sequence.rawValue, event.position.rawValue)
    let previous = heads[Int(event.branch.rawValue)]
    let wanted = previous.map { $0.sequence + 1 } ?? branch.firstSequence.rawValue
    if sequence != wanted {
      add(position, "the event has sequence \(sequence), expected \(wanted)")
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
        throw .corrupt("the content of an event does not hash to its ID")
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
    // Nothing can be checked for an event whose content is damaged or gone.
    if noted != nil, !isIntact || event.payload.isEmpty { closingCount += 1 }
    guard isIntact, let closed = BranchesClosed(written: event.payload) else { return }
    closingCount += 1
    let problem = Self.problem { () throws(LogError) in
      var ids: [EventID] = []
      for place in noted?.closed ?? [] {
        ids.append(try snapshot.id(of: place.branch.rawValue, at: place.sequence.rawValue))
      }
      guard ids == closed.heads.map(\.id) else {
        throw .corrupt("the event closes other branches than recorded; close the branches again")
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
    else { return add(event.position.rawValue, "the event does not match its run") }
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
