internal import CarillonLog
package import CarillonModel
package import CarillonSync
internal import CarillonWire

/// Performs a session's actions on its log.
package struct SyncExecutor: Sendable {
  private let log: any EventLog
  private let wallClock: Instant
  private let contents: SyncContents

  /// - Parameters:
  ///   - log: The log of this side.
  ///   - wallClock: The timestamp for an identity announcement.
  ///   - contents: What is known of the log's contents.
  package init(log: any EventLog, wallClock: Instant, contents: SyncContents = .unknown) {
    self.log = log
    self.wallClock = wallClock
    self.contents = contents
  }

  /// Returns a snapshot of the log.
  ///
  /// - Throws: `log`.
  package func snapshot() throws(SyncError) -> LogSnapshot {
    try SyncError.translating { LogSnapshot(try log.ends()) }
  }

  /// Performs an action and returns the session's next input; nil for `send` and `finished`, which
  /// do not concern the log.
  ///
  /// - Throws: `log`.
  package func perform(_ action: SyncAction) async throws(SyncError) -> SyncInput? {
    do {
      return try await input(for: action)
    } catch {
      throw SyncError(translating: error)
    }
  }

  private func input(for action: SyncAction) async throws -> SyncInput? {
    switch action {
    case .send, .finished:
      return nil
    case .identify(let places):
      return .identified(try places.map(id))
    case .read(let ranges, let byteBudget):
      return .read(try read(ranges, byteBudget: byteBudget))
    case .collect(let places):
      return .collected(try places.map(identifiers))
    case .findWanted(let audit, let redacted):
      return .wanted(try await wanted(audit: audit, redacted: redacted))
    case .digestState:
      return .digested(try await contents.stateDigest())
    case .append(let runs):
      let (outcomes, ends) = try await log.appendReturningEnds(
        runs, wallClock: wallClock, erasures: contents.erasures)
      return .appended(outcomes, LogSnapshot(ends))
    }
  }

  /// Returns the wanted events, each once.
  private func wanted(audit: Bool, redacted: Bool) async throws -> [WantedEvent] {
    let damaged = audit ? try log.damagedEvents().map { WantedEvent($0, .damaged) } : []
    var events = damaged + (try await contents.unconfirmed())
    if redacted {
      try log.scan(after: .start) { event in
        guard event.redacted != nil else { return true }
        let place = DamagedEvent(
          position: event.position, branch: event.branch, sequence: event.sequence, id: event.id)
        events.append(WantedEvent(place, .redacted))
        return true
      }
    }
    var places: Set<Place> = []
    return events.filter {
      places.insert(Place(branch: $0.branch, sequence: $0.sequence.rawValue)).inserted
    }
  }

  /// Returns the identifiers of the events up to a place.
  private func identifiers(upTo place: Place) throws -> CollectedIdentifiers? {
    var table = IdentifierTable()
    var end: EventID?
    let first = max(place.sequence, IdentifierTable.eventCount) - IdentifierTable.eventCount + 1
    try log.scan(branch: place.branch, from: SequenceNumber(rawValue: first)) { event in
      table.add(payload: event.payload)
      if event.sequence.rawValue == place.sequence { end = event.id }
      return event.sequence.rawValue < place.sequence
    }
    return end.map { CollectedIdentifiers(end: $0, table: table) }
  }

  private func id(at place: Place) throws -> EventID? {
    try log.id(on: place.branch, at: SequenceNumber(rawValue: place.sequence))
  }
}

extension LogSnapshot {
  fileprivate init(_ ends: LogEnds) {
    self.init(branches: ends.branches, identity: ends.identity)
  }
}

/// Reading events to send.
extension SyncExecutor {
  private func read(_ ranges: [BranchRange], byteBudget: Int) throws -> [OutgoingRun] {
    var left = byteBudget
    var runs: [OutgoingRun] = []
    var eventCount = 0
    for range in ranges {
      left -= SyncRun.maxOverhead
      let room = SyncMessage.maxEvents - eventCount
      guard room > 0 else { break }
      var reader = OutgoingReader(range, byteBudget: left, room: room)
      // The event before the first is also read, for its ID.
      let start = SequenceNumber(rawValue: max(1, range.sequences.lowerBound - 1))
      try log.scan(branch: range.branch, from: start) { reader.take($0) }
      let run = reader.finished
      guard run.run.count > 0 || reader.isComplete else { break }
      left = reader.left
      runs.append(run)
      eventCount += run.run.count
      guard reader.isComplete else { break }
    }
    return runs
  }
}
