#if Service
package import CarillonModel

/// A copy of all people of one hub database to another, with their devices and logs, and of the
/// list of those who were erased.
///
/// It may end at any moment, and continues when it is run again: whoever is complete in the other
/// database is skipped, and access that only the other database knows ends there. Meanwhile, no hub
/// uses the other database, and once all people are complete there, no hub uses the first one. Both
/// should be opened with ``HubUse/exclusive``: what changes in the first one after its person was
/// copied is missing in the other one, and a device that joins the other one loses its access.
package struct HubMigration: Sendable {
  /// What was copied and compared.
  package struct Report: Hashable, Sendable {
    package var people = 0
    package var events: UInt64 = 0
    package var devices = 0
    /// Why people are not complete in the other database.
    package var problems: [StoreID: String] = [:]

    package init() {}
  }

  /// Why a migration does not begin, which the operator ends in the other database.
  package enum Conflict: Error, RetryCause {
    /// A migration from another hub to it has not ended.
    case otherSource
    /// It has a person who would come back.
    ///
    /// While hubs refuse it, nobody can be erased there.
    case leftover(StoreID, isRefused: Bool)

    package var retryAfter: Duration? { nil }

    package var obstacle: HubObstacle? {
      switch self {
      case .otherSource: .incomplete
      case .leftover: nil
      }
    }
  }

  private let source: any HubDatabase
  private let target: any HubDatabase

  package init(from source: any HubDatabase, to target: any HubDatabase) {
    (self.source, self.target) = (source, target)
  }

  /// Copies and compares all people, and lets hubs use the other database if all are complete.
  ///
  /// - Parameter progress: Called after each person.
  /// - Throws: `LogError`: `busy` if the first database has no people any more, or not all yet, or
  ///   if a migration from a third one to the other one has not ended; `invalidValue` if the other
  ///   one has a person who was erased in the first one, or, if all people were moved from it, one
  ///   who is not in the first one; the errors of either database; `CancellationError`.
  package func run(progress: @Sendable (Report) -> Void = { _ in }) async throws -> Report {
    try await begin()
    try await copyErased()
    var report = Report()
    try await source.forEachPerson { person in
      try Task.checkCancellation()
      do throws(LogError) {
        let (events, devices) = try await copy(person)
        report.people += 1
        report.events += events
        report.devices += devices
      } catch {
        // Other people are not affected by a damaged log, or a person who was erased before.
        guard [LogErrorCode.corrupt, .corruptRun, .alreadyExists].contains(error.code) else {
          throw error
        }
        report.problems[person.id] = error.message
      }
      progress(report)
    }
    try await confirmUse()
    guard report.problems.isEmpty else { return report }
    try await source.setState(.moved)
    // A process that could use the first database until now is not refused.
    try await confirmUse()
    try await target.setState(.serving)
    return report
  }

  // MARK: -

  private func begin() async throws {
    let (first, other) = (try await source.state(), try await target.state())
    if let from = other.source, from != source.id {
      throw LogError(
        code: .busy,
        message: "a migration from the hub \(from) to the other database has not ended, and this "
          + "database is that of the hub \(source.id)",
        hint: "run the migration from that hub again, or reopen the other database",
        cause: Conflict.otherSource)
    }
    // A migration may have been interrupted between its last two steps.
    if let obstacle = first.obstacle, first != .moved || other.obstacle != .incomplete {
      throw LogError.refused(by: obstacle, "this database cannot be copied")
    }
    try await requireNoLeftover(in: other)
    try await target.setState(.filling(from: source.id))
  }

  /// Requires that the other database has nobody who was erased in the first one, and, if its
  /// people were all moved, nobody who is missing there.
  ///
  /// They would come back.
  private func requireNoLeftover(in state: HubState) async throws {
    let wereErased = try await !source.erased(after: nil, limit: 1).isEmpty
    guard wereErased || state == .moved else { return }
    try await target.forEachPerson { person in
      let problem: String
      if try await source.isErased(person.id) {
        problem = "was erased in the database to copy from, and is still in the one to copy to"
      } else if state == .moved, try await source.person(person.id) == nil {
        problem = "is only in the database to copy to, from which all people were moved"
      } else {
        return
      }
      throw LogError(
        code: .invalidValue, message: "the person \(person.id) \(problem)",
        hint: "reopen the database to copy to, erase the person there, and do the same again",
        cause: Conflict.leftover(person.id, isRefused: state != .serving))
    }
  }

  /// Copies the list of erased people, so that none of them is added again.
  private func copyErased() async throws {
    var last: [UInt8]?
    while true {
      let page = try await source.erased(after: last, limit: Self.batchCount)
      guard let end = page.last else { return }
      guard page.allSatisfy({ $0.count == 32 }) else {
        throw LogError(code: .corrupt, message: "a row of the erased people has no digest")
      }
      try await target.addErased(page)
      last = end
    }
  }

  private func confirmUse() async throws {
    for database in [source, target] { try await database.confirmUse() }
  }

  /// Copies a person, and returns the numbers of events and devices.
  private func copy(_ person: HubPerson) async throws(LogError) -> (UInt64, Int) {
    do {
      if try await target.person(person.id) == nil {
        // Of a quota that is exceeded already, nothing may be lost.
        try await target.add(person.id, quota: HubQuota(bytes: .max, devices: .max))
      }
      let access = try await source.access(of: person.id, includingKeys: true)
      try await copy(access, of: person.id)
      let (from, to) = (
        try await source.log(of: person.id), try await target.log(of: person.id)
      )
      if try !Self.areEqual(from, to) { try await Self.copy(from, to) }
      guard try Self.areEqual(from, to),
        try await target.access(of: person.id, includingKeys: true) == access
      else {
        throw LogError(
          code: .corrupt, message: "the log or its devices changed while they were copied")
      }
      try await target.setQuota(person.quota, of: person.id)
      return (try to.lastPosition().rawValue, access.count { $0.kind == .device })
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(code: .io, message: "\(error)", cause: error)
    }
  }

  private func copy(_ access: [HubAccess], of person: StoreID) async throws {
    let copied = Set(try await target.access(of: person, includingKeys: true))
    // What was revoked or used since an earlier copy must end there, too.
    for entry in copied.subtracting(access) { _ = try await target.revoke(entry.id, of: person) }
    for entry in access where !copied.contains(entry) {
      guard entry.kind == .device else {
        // What has expired is copied, too, so that both databases can be compared.
        try await target.add(entry, at: Instant(milliseconds: .min), limit: .max)
        continue
      }
      // Only an invitation becomes a device.
      let invitation = HubAccess(
        .invitation, of: person, digest: PayloadDigest(entry.digest).bytes, role: entry.role,
        name: nil, since: entry.since, expires: entry.since)
      try await target.add(invitation, at: Instant(milliseconds: .min), limit: .max)
      _ = try await target.exchange(invitation, for: entry)
    }
  }

  /// Whether two logs have the same number of events, and the same branches with the same heads.
  private static func areEqual(_ one: any EventLog, _ other: any EventLog) throws -> Bool {
    func heads(_ log: any EventLog) throws -> [EventID: SequenceNumber] {
      Dictionary(uniqueKeysWithValues: try log.branches().map { ($0.headID, $0.headSequence) })
    }
    return try one.lastPosition() == other.lastPosition() && heads(one) == heads(other)
  }

  private static func copy(_ source: any EventLog, _ target: any EventLog) async throws {
    var position = LogPosition.start
    while true {
      let (runs, last) = try runs(of: source, after: position)
      guard !runs.isEmpty else { return }
      _ = try await target.append(
        runs, wallClock: Instant(milliseconds: runs[0].items[0].timestamp.milliseconds),
        erasures: nil)
      position = last
    }
  }

  /// The number of events that are appended at once, and of erased people that are added at once.
  private static let batchCount = 512

  /// Returns the next events in the order of their positions.
  private static func runs(
    of log: any EventLog, after position: LogPosition
  ) throws -> ([EventRun], last: LogPosition) {
    var events: [(branch: BranchIndex, event: StoredEvent, item: EventRun.Item)] = []
    var last = position
    try log.scan(after: position) { event in
      let item =
        if let redacted = event.redacted {
          EventRun.Item(timestamp: event.id.timestamp, redacted: redacted)
        } else if event.isMissing {
          EventRun.Item(missing: event.id)
        } else {
          EventRun.Item(timestamp: event.id.timestamp, payload: [UInt8](event.payload))
        }
      events.append((event.branch, event.event, item))
      last = event.position
      return events.count < batchCount || event.isMissing
    }
    var runs: [EventRun] = []
    for piece in events.split(whereNextStarts: { $0.branch != $1.branch }) {
      guard let first = piece.first, let end = piece.last else { continue }
      let (sequence, replica) = (first.event.sequence, first.event.replica)
      let previous =
        sequence == .first
        ? EventChain.root(of: replica)
        : try id(of: sequence.rawValue - 1, on: first.branch, in: log)
      runs.append(
        EventRun(
          replica: replica, firstSequence: sequence, previous: previous, items: piece.map(\.item),
          lastID: end.event.id))
    }
    return (runs, last)
  }

  private static func id(
    of sequence: UInt64, on branch: BranchIndex, in log: any EventLog
  ) throws -> EventID {
    var id: EventID?
    if let position = try log.position(on: branch, at: SequenceNumber(rawValue: sequence)) {
      try log.scan(after: LogPosition(rawValue: position.rawValue - 1)) { event in
        id = event.id
        return false
      }
    }
    guard let id else {
      throw LogError(
        code: .corrupt, message: "the event before sequence \(sequence + 1) is missing")
    }
    return id
  }
}

extension Array {
  /// Splits the array before each element that starts a new part.
  fileprivate func split(
    whereNextStarts isStart: (Element, Element) -> Bool
  ) -> [ArraySlice<Element>] {
    var (parts, start): ([ArraySlice<Element>], Int) = ([], 0)
    for index in indices.dropFirst() where isStart(self[index - 1], self[index]) {
      parts.append(self[start..<index])
      start = index
    }
    return isEmpty ? [] : parts + [self[start...]]
  }
}
#endif
