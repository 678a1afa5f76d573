package import CarillonModel
import CarillonSQLite

extension Store {
  /// Whether a request that is due may be delivered on this device now.
  ///
  /// Returns false while notifications are blocked or the device is retired, for an occurrence that
  /// is done, skipped or otherwise suppressed, and for one that this device delivered or another
  /// device delivered or must have delivered.
  ///
  /// - Parameters:
  ///   - id: The request's ID; an unknown ID returns false.
  ///   - firedAt: When the request fired.
  package func isUndelivered(_ id: NotificationID, firedAt: Instant) async throws -> Bool {
    try await read { context in
      let own = try context.ownDevice()
      guard own.blocked == nil, own.retiredSince == nil else { return false }
      if [.digest, .openApp].contains(id.request?.kind) { return true }
      let due = context.at(firedAt)
      guard let found = try self.knownSubjects(of: id, due).first else { return false }
      guard case .occurrence(let occurrence) = found else { return true }
      let (habit, date) = (occurrence.habit, occurrence.nominal.date)
      let dates = date.adding(days: -1)...date.adding(days: 1)
      let settings = self.planSettings(context)
      let first = Planner.range(now: context.now, settings: settings, including: dates.lowerBound)
      let last = Planner.range(now: context.now, settings: settings, including: dates.upperBound)
      var state = try context.reader.planState(range: first.lowerBound...last.upperBound)
      // Ignores this system's own submission of the request, which is the reason for delivering it.
      state.leaveOutSubmissions(of: context.device, habit) { _ in true }
      let planner = Planner(
        state: state, settings: settings, device: context.device, now: context.now)
      let ids = [id.request, occurrence.requestID].compactMap(\.self)
      return dates.contains {
        planner.mayFireLate(ids, of: habit, on: $0)
      }
    }
  }

  /// Returns the ID under which a notification that fired can be answered later.
  ///
  /// For a repeating request it is that of the occurrence, since the request's own ID means the
  /// latest occurrence at the time of the answer.
  ///
  /// - Parameters:
  ///   - id: The request's ID.
  ///   - firedAt: When the request fired.
  package func answerID(
    of id: NotificationID, firedAt: Instant
  ) async throws(StoreError) -> NotificationID {
    guard id.request?.kind == .repeating else { return id }
    return try await read { context in
      let subject = try self.knownSubjects(of: id, context.at(firedAt)).first
      guard case .occurrence(let occurrence) = subject else { return id }
      return .request(occurrence.requestID)
    }
  }

  /// Claims occurrences that became due after `last` and up to now but that the system did not
  /// hold, for example because a reminder was added or snoozed since.
  ///
  /// They can be delivered now.
  ///
  /// The result is what a plan made at `last` would have contained, by what is known now. Excludes
  /// occurrences of schedules that were set after the occurrence, and occurrences before permission
  /// was granted. Each is recorded as submitted for its time, so that no process claims it again.
  ///
  /// - Parameters:
  ///   - last: When the system last received the plan, by a clock that may have been wrong.
  ///     Occurrences due more than a day ago, or longer ago than the setting `staleHours`, are not
  ///     claimed.
  ///   - held: The IDs of the requests that the system holds.
  /// - Returns: The requests in the order of their due times.
  package func takeMissed(since last: Instant, holding held: Set<NotificationID>) async throws
    -> [NotificationRequest]
  {
    let found = Locked<[NotificationRequest]>([])
    _ = try await write(isActivity: false) { context in
      let missed = try self.missed(since: last, context).filter { !held.contains(.request($0.id)) }
      found.set(missed)
      let facts = missed.map {
        ReceiptAdvanced(
          subject: .occurrence($0.occurrence), state: .submitted, fireAt: $0.fireAt)
      }
      return Decision(payloads: facts.map(Payload.receiptAdvanced), needsState: true)
    }
    return found.value
  }

  private func missed(since last: Instant, _ context: Context) throws -> [NotificationRequest] {
    let device = try context.ownDevice()
    let hours = min(Self.maxDelayHours, context.settings.staleHours)
    let earliest = Instant(milliseconds: context.now.milliseconds - Int64(hours) * 3_600_000)
    // A time in the future comes from a wrong clock and does not say when the system was last
    // checked.
    let since = last <= context.now ? last : earliest
    let start = max(since, earliest, device.grantedSince ?? earliest)
    guard device.blocked == nil, start < context.now else { return [] }
    var settings = planSettings(context)
    // Each request is delivered individually, and no request to open the app is needed while it
    // runs.
    settings.store.digest = nil
    settings.store.asksToOpen = false
    var state = try context.reader.planState(range: Planner.range(now: start, settings: settings))
    // A request submitted before it was due, but no longer held, was not delivered. A request
    // submitted afterwards was claimed by this function.
    for habit in state.receipts.keys {
      state.leaveOutSubmissions(of: context.device, habit) {
        $0.recordedAt < $0.fireAt ?? $0.recordedAt
      }
    }
    func planner(_ now: Instant) -> Planner {
      Planner(state: state, settings: settings, device: context.device, now: now)
    }
    let present = planner(context.now)
    return try planner(start).plan().requests.filter { request in
      guard let fireAt = request.fireAt, fireAt <= context.now else { return false }
      let occurrence = request.occurrence
      return try context.hadSet(request.schedule, of: request.habit, by: fireAt)
        && [-1, 0, 1].contains {
          present.mayFireLate(
            [request.id, occurrence.requestID], of: occurrence.habit,
            on: occurrence.nominal.date.adding(days: $0))
        }
    }
  }

  /// The maximum delay in hours, so that a computer that slept for days does not deliver everything
  /// at once.
  package static let maxDelayHours = 24
}

extension Context {
  /// Whether a schedule had its current value at `moment`.
  ///
  /// Returns true if a clock ahead of now set it, since that time proves nothing.
  func hadSet(_ schedule: ScheduleID, of habit: HabitID, by moment: Instant) throws -> Bool {
    let written = try reader.scheduleWritten(schedule, of: habit)
    return written.map { $0 <= moment || $0 > now.lastKnown } ?? true
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
