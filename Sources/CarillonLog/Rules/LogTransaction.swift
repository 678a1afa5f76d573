package import CarillonModel

/// One transaction that writes a log, used by the log's one writer.
///
/// A storage implements the requirements. What is written, and in which order, is decided by the
/// rules in this module, which are the same for every log. A look-up sees what the transaction
/// wrote.
package protocol LogTransaction: AnyObject, LogView {
  /// The state of the log after the commit.
  var state: LogState { get set }
  /// The state of the log before the transaction.
  var base: LogState { get }
  /// The number of values that were written.
  ///
  /// A call that fails without writing any does not affect the other calls of its group.
  var putCount: Int { get }

  /// Stores new events at consecutive positions and sequences, starting at a place.
  func put(_ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place) throws

  /// Replaces the event that was at a position before the transaction.
  func replace(at position: UInt64, by event: HeldEvent) throws

  /// Stores a closing of branches.
  func put(_ closing: Branch.Closing, on branch: UInt32) throws

  /// Replaces all runs by those that the log's events give, if it keeps runs.
  ///
  /// - Returns: The events that close branches, by their own place.
  /// - Throws: `corrupt` if the events do not form complete branches; nothing is written then.
  func rebuildRuns() throws -> [ClosingEvent]

  /// Stores an entry of `meta`.
  func putMeta(_ key: MetaKey, _ value: [UInt8]) throws

  /// Checks that the log is still in the state from which the transaction started.
  ///
  /// Called before a refusal is reported. A storage that locks the log when a transaction starts
  /// need not check anything.
  func requireBase() throws

  /// Stores the changed branches and makes everything durable.
  ///
  /// - Throws: If it throws, nothing was written and the transaction has ended.
  func commit() throws

  /// Discards the changes, unless the transaction has ended.
  func abort()
}

extension LogTransaction {
  package func requireBase() throws {}

  /// Writes events to the end of the log and of a branch.
  ///
  /// - Parameters:
  ///   - contents: The contents of the events, at least one.
  ///   - ids: The IDs of the events, one for each.
  func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, on target: LogState.Target
  ) throws -> LogState.Place {
    let place = try state.place(for: target, count: ids.count)
    try put(contents, ids: ids, at: place)
    state.advance(place, ids: ids, on: target)
    return place
  }

  /// Returns the stored event at the position that the index gives for a branch's own event.
  func rowEvent(
    of branch: UInt32, at sequence: UInt64
  ) throws -> (position: UInt64, event: HeldEvent) {
    let position = try position(of: branch, at: sequence)
    return (position, try event(at: position))
  }

  /// Replaces the content, and optionally the ID, of an event that was in the log before.
  func replace(
    _ event: HeldEvent, at position: UInt64, by content: StoredContent, id: EventID? = nil
  ) throws {
    try replace(at: position, by: event.with(content, id: id))
    let (branch, sequence) = (event.header.branch, event.header.sequence)
    let isNoted = state.branches[Int(branch)].closings.contains {
      $0.sequence.rawValue == sequence
    }
    if !isNoted, let closed = content.closing, try places(of: closed) != nil {
      try note(closed, at: position, on: branch, sequence: sequence)
    }
  }

  /// Erases payloads, and returns the number of payloads that were erased.
  ///
  /// A damaged event is left unchanged, and so is an event whose erasing event is damaged, because
  /// it is unknown what that one covered. Once repaired, it is erased like any other.
  func erase(_ erased: [ErasedPayload]) throws -> Int {
    var count = 0
    var erasures: [EventID: Bool] = [:]
    for payload in erased {
      let event = try event(at: payload.position.rawValue)
      guard event.content.redacted == nil, try isIntact(event) else { continue }
      let mayErase = try erasures[payload.erasure] ?? mayErase(payload.erasure)
      erasures[payload.erasure] = mayErase
      guard mayErase else { continue }
      let redacted = RedactedContent(digest: event.content.digest, erasure: payload.erasure)
      try replace(event, at: payload.position.rawValue, by: .redacted(redacted))
      count += 1
    }
    return count
  }

  private func mayErase(_ erasure: EventID) throws -> Bool {
    // Events that this transaction wrote were verified.
    guard let (branch, sequence) = try find(erasure), base.has(branch, sequence) else {
      return true
    }
    return try isIntact(rowEvent(of: branch, at: sequence).event)
  }
}
