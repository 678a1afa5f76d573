package import CarillonModel
import CarillonSQLite

extension Store {
  /// Claims the notifications that are due on this device and were not delivered.
  ///
  /// The result is what a plan made at `last` contains, by what is known now: a reminder that was
  /// done, skipped, moved or renamed since is not delivered as it was planned before. Excludes
  /// occurrences of schedules that were set after the occurrence, unless they were planned before,
  /// and occurrences before permission was granted. Of several occurrences of an interval, only the
  /// last one is due.
  ///
  /// Records what is due but was not planned, and what was planned but is not due.
  ///
  /// - Parameters:
  ///   - last: When the system last delivered what was due, by a clock that may have been wrong.
  ///     Occurrences due more than a day ago, or longer ago than the setting `staleHours`, are not
  ///     claimed.
  ///   - waiting: The requests that were due by `last` and could not be delivered, with their
  ///     times.
  /// - Returns: The requests in the order of their times; none while notifications are blocked or
  ///   the device is retired.
  package func takeDue(
    since last: Instant, waiting: [NotificationID: Instant]
  ) async throws(StoreError) -> [NotificationRequest] {
    let found = Locked<[NotificationRequest]>([])
    _ = try await write(isActivity: false) { context in
      let range = DueRange(
        since: last, waiting, staleHours: context.settings.staleHours,
        of: try context.ownDevice(), now: context.now)
      let state = try context.reader.planState(range: Planner.range(now: range.start))
      let known = KnownSubmissions(state.receipts, of: context.replica, by: context.now)
      let due = try self.due(in: range, state, known, context)
      found.set(due)
      let facts = range.unplanned(due, known) + range.undelivered(due, known, by: context.now)
      return Decision(payloads: facts.inWritingOrder, needsState: true)
    }
    return found.value
  }

  /// Records that requests were due but could not be delivered, so that no device presumes that
  /// they were.
  package func recordWaiting(_ requests: [NotificationRequest]) async throws(StoreError) {
    guard let first = requests.compactMap(\.fireAt).min() else { return }
    _ = try await write(isActivity: false) { context in
      let range = Planner.range(now: first)
      let known = KnownSubmissions(
        try context.reader.occurrenceReceipts(range: range), of: context.replica, by: context.now)
      let facts = requests.flatMap { request in
        request.occurrences.filter { occurrence in
          !known.wasDelivered(occurrence)
            && request.fireAt.map { !known.wasWithheld(occurrence, at: $0) } ?? false
        }.map { SubmittedOccurrence(occurrence: $0, fireAt: nil) }
      }
      return Decision(payloads: facts.inWritingOrder, needsState: true)
    }
  }

  private func due(
    in range: DueRange, _ state: StoreState, _ known: KnownSubmissions, _ context: Context
  ) throws -> [NotificationRequest] {
    guard range.isAllowed else { return [] }
    var state = state
    // This device's own plan does not say that anything was delivered.
    for habit in state.receipts.keys {
      state.leaveOutSubmissions(of: context.device, habit) {
        $0.recordedAt < $0.fireAt ?? $0.recordedAt || range.waits($0)
      }
    }
    var settings = planSettings(context)
    // While it is running, nobody has to open the app.
    settings.store.asksToOpen = false
    let planner = Planner(
      state: state, settings: settings.unlimited, device: context.device, now: context.now,
      dueSince: range.start)
    let due = try planner.plan().requests.filter { request in
      guard let fireAt = request.fireAt, fireAt <= context.now, range.contains(request) else {
        return false
      }
      return try known.fireAt(of: request.occurrence) == fireAt
        || context.hadSet(request.schedule, of: request.habit, by: fireAt)
    }
    return due.withLastOfIntervals(state.habits)
  }

  /// The maximum delay in hours, so that a computer that slept for days does not deliver everything
  /// at once.
  package static let maxDelayHours = 24
}

/// The time in which requests became due that a system may deliver now.
private struct DueRange {
  /// Whether the device may deliver notifications.
  let isAllowed: Bool
  /// The time after which requests are planned.
  let start: Instant
  private let last: Instant
  private let waiting: Set<NotificationID>
  /// The time of the first waiting digest, whose members may have to be delivered individually.
  private let digest: Instant?

  init(
    since last: Instant, _ waiting: [NotificationID: Instant], staleHours: Int, of device: Device,
    now: Instant
  ) {
    let hours = min(Store.maxDelayHours, staleHours)
    let oldest = Instant(milliseconds: now.milliseconds - Int64(hours) * 3_600_000)
    // A time in the future comes from a wrong clock and does not say when the system was last
    // checked.
    self.last = last <= now ? last : oldest
    self.waiting = Set(waiting.keys)
    let first = waiting.values.min().map { Instant(milliseconds: $0.milliseconds - 1) }
    start = max(min(self.last, first ?? self.last), oldest, device.grantedSince(by: now) ?? oldest)
    digest = waiting.filter { $0.key.request?.kind == .digest }.values.min()
    isAllowed = device.blocked == nil && device.retiredSince == nil && start < now
  }

  /// Whether a request became due since the last time, or waits.
  func contains(_ request: NotificationRequest) -> Bool {
    guard let fireAt = request.fireAt else { return false }
    return fireAt > last || waiting.contains(.request(request.id))
      || digest.map { fireAt >= $0 } ?? false
  }

  /// Whether a receipt is of a request that waits.
  func waits(_ receipt: OccurrenceReceipt) -> Bool {
    guard let fireAt = receipt.fireAt else { return false }
    return waiting.contains(.request(receipt.occurrence.requestID))
      || digest.map { fireAt >= $0 } ?? false
  }

  /// Returns the due occurrences that were not planned, and whose ID alone does not say what is
  /// delivered.
  func unplanned(_ due: [NotificationRequest], _ known: KnownSubmissions) -> [SubmittedOccurrence] {
    due.filter { !waiting.contains(.request($0.id)) }.flatMap { request in
      let isClear = request.occurrences.count == 1 && request.occurrence.revision == .first
      return isClear
        ? []
        : request.occurrences.filter { known.fireAt(of: $0) != request.fireAt }
          .map { SubmittedOccurrence(occurrence: $0, fireAt: request.fireAt) }
    }
  }

  /// Returns the occurrences that were planned, have passed, and are not delivered.
  func undelivered(
    _ due: [NotificationRequest], _ known: KnownSubmissions, by now: Instant
  ) -> [SubmittedOccurrence] {
    let delivered = Set(due.flatMap(\.occurrences))
    return known.due(by: now).filter { occurrence in
      known.fireAt(of: occurrence).map { $0 > last } ?? false
        && !known.wasDelivered(occurrence) && !delivered.contains(occurrence)
    }.map { SubmittedOccurrence(occurrence: $0, fireAt: nil) }
  }
}

extension Context {
  /// Whether a schedule had its current value at `moment`.
  ///
  /// Returns true if a clock ahead of now set it, since that time proves nothing.
  fileprivate func hadSet(
    _ schedule: ScheduleID, of habit: HabitID, by moment: Instant
  ) throws -> Bool {
    let written = try reader.scheduleWritten(schedule, of: habit)
    return written.map { $0 <= moment || $0 > now.lastKnown } ?? true
  }
}

extension PlanSettings {
  /// The same settings for a system that holds any number of requests.
  fileprivate var unlimited: Self {
    Self(
      zone: zone, capacity: Self.capacities.upperBound, horizonDays: horizonDays, store: store)
  }
}

extension [NotificationRequest] {
  /// Leaves out the occurrences of an interval that another one of the same schedule follows.
  fileprivate func withLastOfIntervals(_ habits: [HabitID: Habit]) -> Self {
    func isRepeated(_ request: NotificationRequest) -> Bool {
      let schedule = habits[request.habit]?.schedules.first { $0.id == request.schedule }
      guard case .interval? = schedule?.rule else { return false }
      return request.id.kind == .occurrence && request.occurrence.revision == .first
    }
    let repeated = filter(isRepeated)
    let last = Dictionary(repeated.map { ($0.schedule, $0.id) }) { $1 }
    let left = Set(repeated.lazy.filter { last[$0.schedule] != $0.id }.map(\.id))
    return filter { !left.contains($0.id) }
  }
}

extension StoreState {
  /// Removes some of a device's submissions from the state, including those made under the device's
  /// earlier ReplicaIDs.
  fileprivate mutating func leaveOutSubmissions(
    of device: ReplicaID, _ habit: HabitID, where isLeftOut: (OccurrenceReceipt) -> Bool
  ) {
    let own = lineage(of: device)
    receipts[habit] = receipts[habit]?.filter {
      !own.contains($0.replica) || $0.state != .submitted || !isLeftOut($0)
    }
  }

  /// Returns a replica and all its predecessors.
  private func lineage(of replica: ReplicaID) -> Set<ReplicaID> {
    var found: Set<ReplicaID> = []
    var next: ReplicaID? = replica
    while let replica = next, found.insert(replica).inserted {
      next = devices[replica]?.description?.predecessor
    }
    return found
  }
}
