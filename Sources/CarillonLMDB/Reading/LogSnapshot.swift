internal import CarillonModel

/// The log after one commit, for look-ups.
struct LogSnapshot {
  let state: LogState
  let events: Tree
  let runs: Tree
  private let pages: PageSnapshot

  init(_ pages: PageSnapshot, state: LogState) throws(LogError) {
    self.state = state
    self.pages = pages
    events = try pages.tree(.events)
    runs = try pages.tree(.runs)
  }

  /// Returns the event at a position that the log has.
  func event(at position: UInt64) throws(LogError) -> EventRecord {
    let value = try withUnsafeBytes(of: position.bigEndian) { key throws(LogError) in
      try events.value(of: key)
    }
    guard let value else { throw LogError.corrupt("the event at position \(position) is missing") }
    return try EventRecord(value, at: position)
  }

  /// Returns the run of a branch that contains a sequence, or the last run before it; nil if there
  /// is neither.
  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws(LogError) -> StoredRun? {
    var cursor = runs.cursor()
    let isFound = try RunKey(branch: branch, sequence: sequence).withBytes { key throws(LogError) in
      try cursor.seek(atOrBefore: key)
    }
    guard isFound, let (key, value) = try cursor.entry() else { return nil }
    let run = try StoredRun(key: key, value: value)
    return run.branch == branch ? run : nil
  }

  /// Returns the last run of a branch.
  func lastRun(of branch: UInt32) throws(LogError) -> StoredRun {
    guard let run = try run(of: branch, atOrBefore: LogFormat.maxCounter) else {
      throw .corrupt("branch \(branch) has no run")
    }
    return run
  }

  /// The greatest branch index that has runs; nil if there are none.
  var lastRunBranch: UInt32? {
    get throws(LogError) {
      var cursor = runs.cursor()
      guard try cursor.seekLast(), let (key, value) = try cursor.entry() else { return nil }
      return try StoredRun(key: key, value: value).branch
    }
  }

  /// Returns the position of a branch's own event according to the runs.
  func position(of branch: UInt32, at sequence: UInt64) throws(LogError) -> UInt64 {
    guard let run = try run(of: branch, atOrBefore: sequence), sequence < run.endSequence else {
      throw LogError.corrupt("event \(sequence) of branch \(branch) is missing from the runs")
    }
    let position = run.firstPosition + (sequence - run.firstSequence)
    guard position <= state.lastPosition else {
      throw LogError.corrupt("a run of branch \(branch) ends after the last event")
    }
    return position
  }

  /// Whether the runs confirm that an event is at a position.
  func lies(_ record: EventRecord, at position: UInt64) throws(LogError) -> Bool {
    guard let run = try run(of: record.branch, atOrBefore: record.sequence),
      record.sequence < run.endSequence
    else { return false }
    return run.firstPosition + (record.sequence - run.firstSequence) == position
  }

  /// Returns the place of the event at a position according to the runs; nil if no run contains it.
  ///
  /// - Complexity: O(runs).
  func place(at position: UInt64) throws(LogError) -> (branch: UInt32, sequence: UInt64)? {
    var cursor = runs.cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (key, value) = try cursor.entry() {
      let run = try StoredRun(key: key, value: value)
      if (run.firstPosition...run.lastPosition).contains(position),
        state.branches.indices.contains(Int(run.branch)),
        run.endSequence <= state.branches[Int(run.branch)].headSequence.rawValue + 1
      {
        return (run.branch, run.firstSequence + (position - run.firstPosition))
      }
      isFound = try cursor.next()
    }
    return nil
  }

  /// Returns a branch's own event and its position.
  ///
  /// Event and run name each other's place. If they differ, the run is right if the event's content
  /// hashes to its ID there.
  func event(
    of branch: UInt32, at sequence: UInt64
  ) throws(LogError) -> (position: UInt64, record: EventRecord) {
    let position = try position(of: branch, at: sequence)
    let record = try event(at: position)
    return (position, try confirmed(record, of: branch, at: sequence, position))
  }

  /// Returns an event with the place that its run gives.
  ///
  /// - Throws: `corrupt` if nothing confirms that place.
  func confirmed(
    _ record: EventRecord, of branch: UInt32, at sequence: UInt64, _ position: UInt64
  ) throws(LogError) -> EventRecord {
    guard !record.isAt(branch, sequence) else { return record }
    let placed = record.placed(branch, sequence)
    guard try isIntact(placed) else {
      throw .corrupt("the event at position \(position) does not match its run")
    }
    return placed
  }

  /// Returns the ID of a branch's own event.
  func id(of branch: UInt32, at sequence: UInt64) throws(LogError) -> EventID {
    try event(of: branch, at: sequence).record.id
  }

  /// Whether the content of an event in the log hashes to its ID.
  func isIntact(_ record: EventRecord) throws(LogError) -> Bool {
    try record.id(behind: previousID(on: record.branch, before: record.sequence)) == record.id
  }

  /// Returns the ID of the event before a place of a branch.
  func previousID(on branch: UInt32, before sequence: UInt64) throws(LogError) -> EventID {
    guard state.branches.indices.contains(Int(branch)) else {
      throw .corrupt("an event names branch \(branch), which does not exist")
    }
    guard sequence > 1 else { return EventChain.root(of: state.branches[Int(branch)].replica) }
    guard let owner = owner(of: sequence - 1, on: Int(branch)) else {
      throw .corrupt("branch \(branch) has no event with sequence \(sequence - 1)")
    }
    return try event(at: position(of: owner, at: sequence - 1)).id
  }

  /// Returns the place of an event, or nil if the log does not contain it.
  ///
  /// - Complexity: O(branches × log events).
  func find(_ id: EventID) throws -> (branch: UInt32, sequence: UInt64)? {
    for branch in state.branches where branch.headID.timestamp >= id.timestamp {
      let sequence = try branch.find(id) { sequence in
        try self.id(of: branch.index.rawValue, at: sequence)
      }
      if let sequence { return (branch.index.rawValue, sequence) }
    }
    return nil
  }

  /// Returns the branch that owns a place, which is the branch itself or one of its parents; nil
  /// after the head.
  func owner(of sequence: UInt64, on branch: Int) -> UInt32? {
    guard state.branches.indices.contains(branch) else { return nil }
    var branch = state.branches[branch]
    guard sequence >= 1, sequence <= branch.headSequence.rawValue else { return nil }
    while sequence < branch.firstSequence.rawValue, let parent = branch.parent {
      branch = state.branches[Int(parent.branch.rawValue)]
    }
    return branch.index.rawValue
  }
}

extension Branch {
  /// Returns the sequence of one of the branch's own events, or nil if there is none with this ID.
  ///
  /// Timestamps increase along a branch, so a binary search finds the event.
  func find(_ id: EventID, idAt: (UInt64) throws -> EventID) rethrows -> UInt64? {
    if headID == id { return headSequence.rawValue }
    var low = firstSequence.rawValue
    var high = headSequence.rawValue
    while low < high {
      let middle = low + (high - low) / 2
      let found = try idAt(middle)
      if found == id { return middle }
      if found.timestamp < id.timestamp {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return nil
  }
}
