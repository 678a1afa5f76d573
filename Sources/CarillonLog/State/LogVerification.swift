package import CarillonModel

/// A check of a whole log, which collects the problems that it finds.
package struct LogVerification<View: RunIndexedView> {
  private var problems: [LogProblem] = []
  /// The events whose content is missing.
  ///
  /// This is not damage of the log, and does not hide any.
  private var missing: [LogProblem] = []
  private let log: View
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

  package init(_ log: View, maxProblemCount: Int) {
    self.log = log
    self.maxProblemCount = maxProblemCount
    heads = Array(repeating: nil, count: log.state.branches.count)
    runs = Array(repeating: nil, count: log.state.branches.count)
  }

  /// Whether the maximum number of problems is reached.
  package var isFull: Bool { problems.count >= maxProblemCount }

  /// Checks events, runs, branches and closings.
  ///
  /// - Returns: The problems, followed by the events whose content is missing.
  package mutating func run() throws -> [LogProblem] {
    try checkEvents()
    try checkRuns()
    checkHeads()
    checkClosings()
    return problems + missing
  }

  /// Checks the place, the ID and the run of every event.
  ///
  /// An event that cannot be read is reported and skipped.
  private mutating func checkEvents() throws {
    let last = log.state.lastPosition
    var next: UInt64 = 1
    while next <= last, !isFull {
      do {
        _ = try log.visit(next...last) { event, isMisplaced in
          next = event.position.rawValue + 1
          if isMisplaced { add(event.position, "the event has a wrong branch or sequence") }
          try check(event)
          return !isFull
        }
        if isFull { return }
        next = last + 1
      } catch let error as LogError where error.code == .corrupt {
        add(LogPosition(rawValue: next), error.message)
        next += 1
      }
    }
  }

  /// Checks that every run belongs to an existing branch, and that the runs have as many events as
  /// the log.
  private mutating func checkRuns() throws {
    var count: UInt64 = 0
    try note(nil) { verification in
      try verification.log.visitRuns { run in
        guard run.branch < verification.log.state.branches.count,
          run.lastPosition <= verification.log.state.lastPosition
        else {
          throw LogError.corrupt("a run of branch \(run.branch) contains events that do not exist")
        }
        count = count.addingReportingOverflow(run.count).partialValue
        return true
      }
    }
    if count != log.state.lastPosition {
      add(nil, "the runs have \(count) events, but the log has \(log.state.lastPosition)")
    }
  }

  /// Checks that every branch ends with its head, also according to its row.
  private mutating func checkHeads() {
    for branch in log.state.unsavedBranches.sorted() {
      add(nil, "the stored head of branch \(branch) is not its last event")
    }
    for branch in log.state.branches {
      let head = heads[Int(branch.index.rawValue)]
      if head?.id != branch.headID || head?.sequence != branch.headSequence.rawValue {
        add(nil, "branch \(branch.index.rawValue) does not end with its head")
      }
    }
  }

  /// Checks that exactly the events that close branches are recorded as closings.
  private mutating func checkClosings() {
    let count = log.state.branches.reduce(0) { $0 + $1.closings.count }
    if count != closingCount {
      add(nil, "\(closingCount) events close branches, but \(count) are recorded")
    }
  }

  /// Runs a check, and adds the problem if it throws `corrupt`.
  package mutating func note(
    _ position: LogPosition?, _ check: (inout LogVerification) throws -> Void
  ) throws {
    do {
      try check(&self)
    } catch let error as LogError where error.code == .corrupt {
      add(position, error)
    }
  }

  /// Adds a problem.
  package mutating func add(_ position: LogPosition?, _ message: String) {
    guard !isFull else { return }
    problems.append(LogProblem(.damage, at: position, message))
  }

  // MARK: -

  private mutating func add(_ position: LogPosition?, _ error: LogError) {
    guard case .needsCompacting(let problem) = error.reason else {
      return add(position, error.message)
    }
    if !isFull { problems.append(LogProblem(.freePages, at: position, "free pages: \(problem)")) }
  }

  private mutating func check(_ event: RawEvent) throws {
    let branch = log.state.branches[Int(event.branch.rawValue)]
    let sequence = event.sequence.rawValue
    let previous = heads[Int(event.branch.rawValue)]
    let wanted = previous.map { $0.sequence + 1 } ?? branch.firstSequence.rawValue
    if sequence != wanted {
      add(event.position, "the event has sequence \(sequence), expected \(wanted)")
    }
    var (isIntact, isMissing) = (false, false)
    try note(event.position) { verification in
      let before =
        try previous?.id
        ?? verification.log.previousID(
          on: branch.index.rawValue, before: branch.firstSequence.rawValue)
      let id = EventChain.id(
        sequence: event.sequence, timestamp: event.id.timestamp, previous: before,
        payload: event.digest)
      isMissing = id != event.id && event.isMissing
      guard id == event.id || isMissing else {
        throw LogError.corrupt("the content of an event does not hash to its ID")
      }
      isIntact = !isMissing
    }
    if isMissing, missing.count < maxProblemCount {
      missing.append(
        LogProblem(.missingContent, at: event.position, "the content of the event is missing"))
    }
    try checkRun(of: event)
    try checkClosing(event, isIntact: isIntact)
    heads[Int(event.branch.rawValue)] = Head(sequence: sequence, id: event.id)
  }

  private mutating func checkClosing(_ event: RawEvent, isIntact: Bool) throws {
    let branch = log.state.branches[Int(event.branch.rawValue)]
    let noted = branch.closings.first { $0.sequence == event.sequence }
    // Nothing can be checked for an event whose content is damaged or gone.
    if noted != nil, !isIntact || event.payload.isEmpty { closingCount += 1 }
    guard isIntact, let closed = BranchesClosed(written: event.payload) else { return }
    closingCount += 1
    try note(event.position) { verification in
      let ids = try (noted?.closed ?? []).map {
        try verification.log.id(of: $0.branch.rawValue, at: $0.sequence.rawValue)
      }
      guard ids == closed.heads.map(\.id) else {
        throw LogError.corrupt(
          "the event closes other branches than recorded; close the branches again")
      }
    }
  }

  private mutating func checkRun(of event: RawEvent) throws {
    let (branch, sequence) = (event.branch.rawValue, event.sequence.rawValue)
    if runs[Int(branch)].map({ sequence >= $0.endSequence }) ?? true {
      try note(event.position) { verification in
        verification.runs[Int(branch)] = try verification.log.run(of: branch, atOrBefore: sequence)
      }
    }
    guard let run = runs[Int(branch)], run.has(sequence),
      run.position(at: sequence) == event.position.rawValue
    else { return add(event.position, "the event does not match its run") }
  }
}
