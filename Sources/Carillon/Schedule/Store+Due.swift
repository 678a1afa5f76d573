package import CarillonModel
import CarillonSQLite

extension Store {
  /// Whether a request that fell due may still be shown on this device, and is not shown again.
  ///
  /// False while nothing may be shown; for an occurrence that is done, skipped or otherwise silent
  /// by now; and for one that this device showed, or another one showed or must have shown.
  ///
  /// - Parameters:
  ///   - id: The request's id; one of nothing that is known is not shown.
  ///   - firedAt: When it fell due.
  package func mayShow(_ id: String, firedAt: Instant) async throws -> Bool {
    try await read { context in
      guard try context.ownDevice().blocked == nil else { return false }
      if id.hasPrefix("c1d.") || id.hasPrefix("c1o.") { return true }
      let due = context.at(firedAt)
      guard let found = try self.notifications(id, due).first else { return false }
      guard case .occurrence(let habit, _, let nominal) = found.subject else { return true }
      let dates = nominal.date.adding(days: -1)...nominal.date.adding(days: 1)
      let settings = self.planSettings(context)
      let first = Planner.range(now: context.now, settings: settings, including: dates.lowerBound)
      let last = Planner.range(now: context.now, settings: settings, including: dates.upperBound)
      var state = try context.reader.planState(range: first.lowerBound...last.upperBound)
      // That it was given to this system, and is due, is what it is shown for.
      state.leaveOutSubmissions(of: context.device, habit) { _ in true }
      let planner = Planner(
        state: state, settings: settings, device: context.device, now: context.now)
      return dates.contains { planner.isPast([id, found.subject.key], of: habit, on: $0) }
    }
  }

  /// Takes what fell due behind a moment and up to now though the system did not hold it, so that
  /// it can be shown now: a reminder that was added or snoozed since, for one.
  ///
  /// It is what a plan of that moment would have held, by what is known now; of a schedule that was
  /// set after its time, and before permission was given, it holds nothing. It is recorded as
  /// submitted for that time, so that nobody takes it again.
  ///
  /// - Parameters:
  ///   - last: When the system was given the plan before, by a clock that may have been wrong; what
  ///     fell due more than a day ago, or longer ago than the setting `staleHours`, is not taken.
  ///   - held: The ids of what the system holds.
  /// - Returns: Requests in the order in which they were due.
  package func takeMissed(since last: Instant, holding held: Set<String>) async throws -> [Request]
  {
    let found = Locked<[Request]>([])
    _ = try await write(isActivity: false) { context in
      let missed = try self.missed(since: last, context).filter { !held.contains($0.id) }
      found.set(missed)
      let facts = missed.map {
        ReceiptAdvanced(
          subject: $0.occurrence.subject, revision: $0.revision, state: .submitted,
          fireAt: $0.fireAt)
      }
      return Decision(payloads: facts.map(Payload.receiptAdvanced), needsState: true)
    }
    return found.value
  }

  private func missed(since last: Instant, _ context: Context) throws -> [Request] {
    let device = try context.ownDevice()
    let hours = min(Self.maxDelayHours, context.settings.staleHours)
    let earliest = Instant(milliseconds: context.now.milliseconds - Int64(hours) * 3_600_000)
    // A clock that was ahead tells nothing of when the system was looked after.
    let since = last <= context.now ? last : earliest
    let start = max(since, earliest, device.grantedSince ?? earliest)
    guard device.blocked == nil, start < context.now else { return [] }
    var settings = planSettings(context)
    // Each is shown by itself, and none asks to open what runs.
    settings.store.digest = nil
    settings.store.asksToOpen = false
    var state = try context.reader.planState(range: Planner.range(now: start, settings: settings))
    // What was given to the system before it fell due, and is not held, cannot have been shown.
    // What was given to it afterwards was taken here.
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
      let key = request.occurrence.subject.key
      return try context.hadSet(request.schedule, of: request.habit, by: fireAt)
        && [-1, 0, 1].contains {
          present.isPast(
            [request.id, key], of: request.habit, on: request.identity.date.adding(days: $0))
        }
    }
  }

  /// What a computer that slept for days missed is not shown all at once.
  package static let maxDelayHours = 24
}

extension Context {
  /// Whether a schedule was as it is by a moment; true where a clock ahead of now set it, which
  /// tells nothing.
  func hadSet(_ schedule: ScheduleID, of habit: HabitID, by moment: Instant) throws -> Bool {
    let written = try reader.scheduleWritten(schedule, of: habit)
    return written.map { $0 <= moment || $0 > now.lastKnown } ?? true
  }
}

extension State {
  /// Leaves out some of what a device gave to its system, also under the names it had before.
  fileprivate mutating func leaveOutSubmissions(
    of device: ReplicaID, _ habit: HabitID, where isLeftOut: (OccurrenceReceipt) -> Bool
  ) {
    let own = lineage(of: device)
    receipts[habit] = receipts[habit]?.filter {
      !own.contains($0.replica) || $0.state != .submitted || !isLeftOut($0)
    }
  }

  /// A replica, and those from which it goes on.
  private func lineage(of replica: ReplicaID) -> Set<ReplicaID> {
    var found: Set<ReplicaID> = []
    var next: ReplicaID? = replica
    while let replica = next, found.insert(replica).inserted {
      next = devices[replica]?.description?.predecessor
    }
    return found
  }
}

extension Planner {
  /// Whether one of some ids is an occurrence on a date that nothing suppresses but that its time
  /// passed.
  fileprivate func isPast(_ ids: [String], of habit: HabitID, on date: CivilDate) -> Bool {
    explain(habit, on: date).contains { ids.contains($0.id) && $0.reason == .past }
  }
}
