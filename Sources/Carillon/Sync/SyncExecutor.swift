package import CarillonModel
package import CarillonSync
internal import CarillonWire

/// Does what a session wants done to its log.
package struct SyncExecutor: Sendable {
  private let log: any EventLog
  private let wallClock: Instant
  private let contents: SyncContents

  /// - Parameters:
  ///   - log: The log of this side.
  ///   - wallClock: The time at which a new identity would state itself.
  ///   - contents: What is known of the log's contents.
  package init(log: any EventLog, wallClock: Instant, contents: SyncContents = .unknown) {
    self.log = log
    self.wallClock = wallClock
    self.contents = contents
  }

  /// The log as it stands.
  ///
  /// - Throws: `log`.
  package func snapshot() throws(SyncError) -> LogSnapshot {
    try translating { try LogSnapshot(branches: log.branches(), identity: log.identity()) }
  }

  /// Does an action, and gives the session's next input; nil for `send` and `finished`, which
  /// are not about the log.
  ///
  /// - Throws: `log`.
  package func perform(_ action: SyncAction) async throws(SyncError) -> SyncInput? {
    switch action {
    case .send, .finished:
      return nil
    case .identify(let places):
      return try translating { .identified(try places.map(id)) }
    case .read(let stretches, let byteBudget):
      return try translating { .read(try read(stretches, byteBudget: byteBudget)) }
    case .findWanted(let audit):
      do {
        let damaged = audit ? try log.damagedEvents().map(WantedEvent.init(_:)) : []
        return .wanted(damaged + (try await contents.unconfirmed()))
      } catch {
        throw Self.failure(error)
      }
    case .append(let runs):
      do {
        let outcomes = try await log.append(
          runs, wallClock: wallClock, erasures: contents.erasures)
        return .appended(outcomes, try snapshot())
      } catch {
        throw Self.failure(error)
      }
    }
  }

  private func translating<T>(_ body: () throws -> T) throws(SyncError) -> T {
    do { return try body() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: any Error) -> SyncError {
    if let error = error as? SyncError { return error }
    return SyncError(code: .log, message: "the log failed: \(error)", cause: error)
  }

  private func id(at place: Place) throws -> EventID? {
    var found: EventID?
    try log.scan(branch: place.branch, from: SequenceNumber(rawValue: place.sequence)) { event in
      found = event.id
      return false
    }
    return found
  }

  private func read(_ stretches: [Stretch], byteBudget: Int) throws -> [OutgoingRun] {
    var left = byteBudget
    var runs: [OutgoingRun] = []
    var eventCount = 0
    for stretch in stretches {
      left -= SyncRun.maxOverhead
      let room = SyncMessage.maxEvents - eventCount
      guard room > 0, let run = try read(stretch, byteBudget: &left, room: room) else { break }
      runs.append(run)
      eventCount += run.run.count
      guard run.run.lastSequence == stretch.sequences.upperBound else { break }
    }
    return runs
  }

  /// As much of a stretch as fits; nil where not even its first event does.
  private func read(
    _ stretch: Stretch, byteBudget: inout Int, room: Int
  ) throws -> OutgoingRun? {
    let first = stretch.sequences.lowerBound
    var left = byteBudget
    // The event before the first is read too, for its ID.
    var run = first > 1 ? nil : OutgoingRun(stretch, previous: nil)
    let start = SequenceNumber(rawValue: max(1, first - 1))
    try log.scan(branch: stretch.branch, from: start) { event in
      guard event.sequence.rawValue >= first else {
        run = OutgoingRun(stretch, previous: event.id)
        return true
      }
      left -= SyncRun.maxBytes(ofPayload: event.payload.count)
      guard left >= 0 else { return false }
      run?.append(id: event.id, payload: event.payload, bare: event.bare)
      return event.sequence.rawValue < stretch.sequences.upperBound && run?.run.count != room
    }
    byteBudget = left
    return run.flatMap { $0.run.count > 0 ? $0 : nil }
  }
}

extension OutgoingRun {
  fileprivate init(_ stretch: Stretch, previous: EventID?) {
    self.init(
      branch: stretch.branch, reference: stretch.reference,
      firstSequence: stretch.sequences.lowerBound, previous: previous)
  }
}
