package import CarillonModel

/// A check of a whole log, or of a range of its positions, which collects the problems that it
/// finds.
package struct LogVerification<View: RunIndexedView> {
  private var events = CheckedEvents()
  private let log: View
  private let maxProblemCount: Int
  private let progress: @Sendable (UInt64) -> Bool
  /// The number of events since the last call of `progress`.
  private var newCount: UInt64 = 0
  /// By branch: the run that contains the last event that was checked.
  private var runs: [StoredRun?]
  /// By branch: the first sequence of the run that was last reported as wrong; 0 for none.
  private var wrongRuns: [UInt64?]

  package init(
    _ log: View, maxProblemCount: Int, progress: @escaping @Sendable (UInt64) -> Bool
  ) {
    self.log = log
    self.maxProblemCount = maxProblemCount
    self.progress = progress
    events.heads = Array(repeating: nil, count: log.state.branches.count)
    runs = Array(repeating: nil, count: log.state.branches.count)
    wrongRuns = runs.map { _ in nil }
  }

  /// Whether the maximum number of problems is reached.
  package var isFull: Bool { events.problems.count >= maxProblemCount }

  /// Checks the place, the ID and the run of every event in a range of positions.
  ///
  /// An event that cannot be read is reported and skipped.
  package mutating func checked(_ positions: ClosedRange<UInt64>) throws -> CheckedEvents {
    events.first = positions.lowerBound
    var next = positions.lowerBound
    while next <= positions.upperBound, !isFull {
      do {
        _ = try log.visitRows(next...positions.upperBound) { event in
          next = event.position.rawValue + 1
          try count()
          if let event = try placed(event) { try check(event) }
          return !isFull
        }
        break
      } catch let error as LogError where error.code == .corrupt {
        add(LogProblem(.damage, at: LogPosition(rawValue: next), error.message))
        next += 1
      }
    }
    _ = progress(newCount)
    return events
  }

  /// Checks the events from a position on, joins them with those of the range before, and checks
  /// runs, branches and closings.
  ///
  /// - Returns: The problems, followed by the events whose content is missing.
  package mutating func finish(
    from first: UInt64, after earlier: () throws -> CheckedEvents?
  ) throws -> [LogProblem] {
    let last = log.state.lastPosition
    if first <= last { _ = try checked(first...last) }
    if let earlier = try earlier() { join(earlier) }
    try checkRuns()
    checkHeads()
    checkClosings()
    return Array(events.problems.prefix(maxProblemCount))
      + events.missing.prefix(maxProblemCount)
  }

  /// Runs a check, and adds the problem if it throws `corrupt`.
  package mutating func note(
    table: String?, _ check: (inout LogVerification) throws -> Void
  ) throws {
    try note(LogProblem(.damage, at: nil, ""), table, check)
  }

  /// Adds damage that concerns no single event.
  package mutating func add(_ message: String) {
    add(LogProblem(.damage, at: nil, message))
  }

  // MARK: - Tables

  /// Checks that every run belongs to an existing branch, and that the runs have as many events as
  /// the log.
  private mutating func checkRuns() throws {
    var count: UInt64 = 0
    try note(LogProblem(.index, at: nil, ""), "runs") { verification in
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
      addIndex(
        "runs", nil, "the runs have \(count) events, but the log has \(log.state.lastPosition)")
    }
  }

  /// Checks that every branch ends with its head, also according to its row.
  private mutating func checkHeads() {
    for branch in log.state.unsavedBranches.sorted() {
      addIndex(
        "branches", log.state.branches[Int(branch)].replica,
        "the stored head of branch \(branch) is not its last event")
    }
    for branch in log.state.branches {
      let head = events.heads[Int(branch.index.rawValue)]
      guard head?.id != branch.headID || head?.sequence != branch.headSequence.rawValue else {
        continue
      }
      var problem = LogProblem(
        .damage, at: nil, "branch \(branch.index.rawValue) does not end with its head")
      (problem.replica, problem.sequence) = (branch.replica, branch.headSequence)
      problem.table = "branches"
      add(problem)
    }
  }

  /// Checks that exactly the events that close branches are recorded as closings.
  private mutating func checkClosings() {
    let count = log.state.branches.reduce(0) { $0 + $1.closings.count }
    if count != events.closingCount {
      addIndex(
        "closings", nil, "\(events.closingCount) events close branches, but \(count) are recorded")
    }
  }

  // MARK: - Problems

  private mutating func note(
    _ problem: LogProblem, _ table: String?, _ check: (inout LogVerification) throws -> Void
  ) throws {
    do {
      try check(&self)
    } catch let error as LogError where error.code == .corrupt {
      var (kind, message) = (problem.kind, error.message)
      if case .needsCompacting(let pages) = error.reason {
        (kind, message) = (.freePages, "free pages: \(pages)")
      }
      var found = LogProblem(kind, at: problem.position, message)
      (found.replica, found.sequence, found.table) = (problem.replica, problem.sequence, table)
      add(found)
    }
  }

  private mutating func add(_ problem: LogProblem) {
    if !isFull { events.problems.append(problem) }
  }

  private mutating func addIndex(_ table: String, _ replica: ReplicaID?, _ message: String) {
    var problem = LogProblem(.index, at: nil, message)
    (problem.replica, problem.table) = (replica, table)
    add(problem)
  }

  private func problem(_ kind: LogProblem.Kind, _ event: RawEvent, _ message: String) -> LogProblem
  {
    var problem = LogProblem(kind, at: event.position, message)
    (problem.replica, problem.sequence) = (event.replica, event.sequence)
    return problem
  }

  // MARK: - Events

  /// - Throws: `CancellationError`.
  private mutating func count() throws {
    newCount += 1
    guard newCount == 4_096 else { return }
    newCount = 0
    if !progress(4_096) { throw CancellationError() }
  }

  /// Returns an event at its right place; nil if that is unknown.
  ///
  /// The next event of a branch needs no confirmation, since its ID covers its place. The runs
  /// confirm every other one, so that a wrong run damages no event.
  private mutating func placed(_ event: RawEvent) throws -> RawEvent? {
    let (branch, sequence) = (Int(event.branch.rawValue), event.sequence.rawValue)
    let isKnown = log.state.has(event.branch.rawValue, sequence)
    if isKnown {
      let first = log.state.branches[branch].firstSequence.rawValue
      if let head = events.heads[branch] {
        if sequence == head.sequence + 1 { return event }
      } else if events.first == 1, sequence == first {
        return event
      }
    }
    do {
      let heads = events.heads
      let place = try log.place(of: event.header, at: event.position.rawValue) {
        heads[$0].map { $0.sequence + 1 } ?? 0
      }
      let placed = log.placed(event, place.branch, place.sequence)
      if place.isMisplaced {
        add(problem(.damage, placed, "the event has a wrong branch or sequence"))
      }
      return placed
    } catch let error as LogError where error.code == .corrupt {
      if isKnown, events.heads[branch] == nil, events.first > 1 { return event }
      add(problem(.damage, event, "the event has a wrong branch or sequence"))
      return nil
    }
  }

  private mutating func check(_ event: RawEvent) throws {
    let index = Int(event.branch.rawValue)
    let branch = log.state.branches[index]
    let link = EventLink(event)
    var state: EventLink.State?
    if let previous = events.heads[index] {
      state = link.state(after: previous.id)
    } else if events.first > 1, link.sequence != branch.firstSequence.rawValue {
      // The range before has the previous event.
      events.links[index] = link
    } else {
      try note(problem(.damage, event, ""), nil) { verification in
        state = link.state(
          after: try verification.log.previousID(
            on: branch.index.rawValue, before: branch.firstSequence.rawValue))
      }
    }
    if let state { events.add(state, of: link, maxProblemCount) }
    try checkRun(of: event)
    try checkClosing(event, isIntact: state.map { $0 == .intact } ?? true)
    events.heads[index] = EventHead(sequence: link.sequence, id: event.id)
  }

  /// Joins the events of the range before.
  private mutating func join(_ earlier: CheckedEvents) {
    for (index, head) in events.heads.enumerated() {
      // A branch that began since the other range was read is not in it.
      let previous = earlier.heads.indices.contains(index) ? earlier.heads[index] : nil
      if head == nil { events.heads[index] = previous }
      guard let link = events.links[index] else { continue }
      guard let previous, previous.sequence + 1 == link.sequence else {
        add(link.problem(.damage, "the event does not follow the one before it in its branch"))
        continue
      }
      events.add(link.state(after: previous.id), of: link, maxProblemCount)
    }
    events.problems = earlier.problems + events.problems
    events.missing = earlier.missing + events.missing
    events.closingCount += earlier.closingCount
  }

  private mutating func checkClosing(_ event: RawEvent, isIntact: Bool) throws {
    let branch = log.state.branches[Int(event.branch.rawValue)]
    let noted = branch.closings.first { $0.sequence == event.sequence }
    // Nothing can be checked for an event whose content is damaged or gone.
    if noted != nil, !isIntact || event.payload.isEmpty { events.closingCount += 1 }
    guard isIntact, let closed = BranchesClosed(written: event.payload) else { return }
    events.closingCount += 1
    try note(problem(.index, event, ""), "closings") { verification in
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
      try note(problem(.index, event, ""), "runs") { verification in
        verification.runs[Int(branch)] = try verification.log.run(of: branch, atOrBefore: sequence)
      }
    }
    let run = runs[Int(branch)]
    if let run, run.has(sequence), run.position(at: sequence) == event.position.rawValue { return }
    let first = run?.firstSequence ?? 0
    guard wrongRuns[Int(branch)] != first else { return }
    wrongRuns[Int(branch)] = first
    var found = problem(.index, event, "the event does not match its run")
    found.table = "runs"
    add(found)
  }
}
