import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Foundation

/// The properties of a store that must hold after every step of a random history.
///
/// They do not use projections or kept plans: all events are folded in memory (``ReferenceFold``),
/// and the store must return the plan of that state.
final class HistoryProperties {
  let device: RandomHistory.Device
  let replica: ReplicaID
  let state: StoreState
  let plan: NotificationPlan
  private(set) var violations: [String] = []

  private var now: Instant { device.clock.now }
  private var store: StoreSettings { state.settings }

  /// Updates a device's fold to its log, and requests its plan.
  init(_ device: inout RandomHistory.Device) async throws {
    var fold = device.fold
    var last = device.folded
    for try await logged in device.store.history(after: device.folded) {
      fold.apply(logged.opened)
      last = logged.position
    }
    (device.fold, device.folded) = (fold, last)
    self.device = device
    state = fold.state()
    replica = try await device.store.device().replica
    plan = try await device.store.plan()
  }

  static func plan(
    _ state: StoreState, for replica: ReplicaID, at now: Instant, in zone: TimeZone, capacity: Int
  ) -> NotificationPlan {
    let settings = PlanSettings(zone: zone, capacity: capacity, store: state.settings)
    return Planner(state: state, settings: settings, device: replica, now: now).plan()
  }

  private func planned(capacity: Int) -> NotificationPlan {
    Self.plan(state, for: replica, at: now, in: device.zone.zone, capacity: capacity)
  }

  private func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { violations.append(text()) }
  }

  func check() async throws {
    try await checkSame()
    checkQueue()
    checkSuppression()
  }

  /// Checks that the plan equals that of the plain fold, and that planning twice gives no
  /// difference.
  private func checkSame() async throws {
    let folded = planned(capacity: device.capacity)
    expect(
      plan.requests == folded.requests,
      "not the plan of the events: \(plan.requests.map(\.id)) for \(folded.requests.map(\.id))")
    expect(plan.coverageUntil == folded.coverageUntil, "coverage differs from that of the events")
    expect(plan.dropped == folded.dropped, "dropped count differs from that of the events")
    expect(plan.blocked == folded.blocked, "blocked differs from that of the events")
    let held = plan.blocked == nil ? plan.requests.map(ScheduledRequest.init) : []
    let again = try await device.store.plan().difference(from: held)
    expect(again.insertions.isEmpty && again.removals.isEmpty, "planned twice: \(again)")
  }

  /// Checks that the plan does not exceed the capacity, and that it is complete until its coverage
  /// ends.
  private func checkQueue() {
    let all = planned(capacity: 10_000)
    let ids = plan.requests.map(\.id)
    expect(ids.count <= device.capacity, "\(ids.count) of \(device.capacity)")
    expect(Set(ids).count == ids.count, "ids are not unique")
    let fires = plan.requests.map { $0.fireAt ?? Instant(milliseconds: .max) }
    expect(fires == fires.sorted(), "not in order")
    expect(fires.allSatisfy { $0 > now }, "past")
    let own = plan.requests.filter { $0.id.kind != .openApp }
    func covered(_ requests: [NotificationRequest]) -> [NotificationRequest] {
      requests.filter { $0.fireAt.map { $0 < plan.coverageUntil } ?? false }
    }
    expect(covered(own) == covered(all.requests), "not complete until \(plan.coverageUntil)")
    if store.digest == nil { checkChoice(of: own, from: all) }
  }

  /// Checks which requests fit, if none of them are combined.
  private func checkChoice(of own: [NotificationRequest], from all: NotificationPlan) {
    let fitting = Set(own.map(\.id))
    let rest = all.requests.filter { !fitting.contains($0.id) }
    expect(own == all.requests.filter { fitting.contains($0.id) }, "not requests of the whole plan")
    let isOpening = own.count < plan.requests.count
    expect(
      plan.requests.count == device.capacity || rest.isEmpty, "places are left: \(rest.count)")
    let first = rest.compactMap(\.fireAt).first
    let coverage = first.map { min($0, all.coverageUntil) } ?? all.coverageUntil
    expect(
      plan.coverageUntil == coverage, "covers until \(plan.coverageUntil), not \(coverage)")
    expect(!isOpening || first != nil && store.asksToOpen, "asks to open unasked")
    expect(plan.dropped == min(1_000, rest.count), "dropped \(plan.dropped) of \(rest.count)")
    let room = isOpening ? device.capacity - 1 : device.capacity
    let snoozes = all.requests.filter { $0.occurrences.contains(where: \.isSnoozed) }
    expect(
      snoozes.prefix(room).allSatisfy { fitting.contains($0.id) }, "a snooze was pushed out")
    let single = all.requests.filter { $0.fireAt == nil || isOnce($0) }
    let places = single.filter { $0.fireAt == nil }
    let half = max(0, min(room, device.capacity / 2) - snoozes.count)
    let once = single.filter(isOnce).prefix(half - min(half, places.count))
    let reserved = places.prefix(half) + once
    expect(
      reserved.allSatisfy { fitting.contains($0.id) }, "a place or a single date was pushed out")
    var seen: Set<ScheduleID> = []
    let nexts = all.requests.filter { request in
      let own = request.occurrences.lazy.filter { !$0.isSnoozed }.map(\.schedule)
      return request.fireAt != nil && !own.filter { seen.insert($0).inserted }.isEmpty
    }
    let wanted = Set((snoozes + reserved + nexts).map(\.id))
    expect(
      wanted.count > room || wanted.isSubset(of: fitting), "a next reminder was pushed out")
  }

  private func isOnce(_ request: NotificationRequest) -> Bool {
    let habit = state.habits[request.habit]
    var rule = habit?.schedules.first { $0.id == request.schedule }?.rule
    if case .relative(let relative) = rule { rule = relative.base }
    if case .once = rule { return true }
    return false
  }

  /// Checks that no occurrence is planned that is done, skipped, paused or delivered, or whose
  /// habit is gone or owned by another role.
  private func checkSuppression() {
    for request in plan.requests where request.id.kind != .openApp {
      for name in request.occurrences where request.fireAt != nil {
        guard let habit = state.habits[name.habit],
          let schedule = habit.schedules.first(where: { $0.id == name.schedule })
        else {
          violations.append("planned for an unknown schedule: \(name)")
          continue
        }
        expect(!habit.isDeleted && !habit.isArchived, "planned though gone: \(name)")
        if let reason = suppression(name, habit, schedule) {
          violations.append("planned though \(reason): \(name) of \(habit.title)")
        }
      }
    }
  }

  private func suppression(_ name: OccurrenceID, _ habit: Habit, _ schedule: Schedule) -> String? {
    let role = state.devices[replica]?.description?.role
    if habit.owner == .watch && role != .watch || habit.owner == .phone && role != .phone {
      return "another device's"
    }
    if isShown(name, habit.owner, schedule) { return "delivered" }
    // An interval's nominal time is in UTC; its due date follows the local clock.
    if case .interval = schedule.rule { return nil }
    let due =
      name.nominal.time < store.dayStart
      ? name.nominal.date.adding(days: -1) : name.nominal.date
    if state.pauses.values.contains(where: { $0.holds(habit.id, on: due) }) { return "paused" }
    if let start = habit.start, due < start { return "before its start" }
    if let end = habit.end, due > end { return "after its end" }
    let day = state.days[habit.id]?[due] ?? StoreState.Day()
    if state.isDone(habit, on: due) {
      if schedule.unless.contains(.done) || schedule.unless.contains(.quota) { return "done" }
    } else if day.mark == .skip {
      return "skipped"
    }
    if schedule.unless.contains(.entry), day.entryCount > 0 || day.mark == .no { return "entered" }
    return nil
  }

  /// Whether a device delivered it, or holds it, may deliver it, and its time has come.
  ///
  /// For a habit that fires on both devices, only this device counts, or a known delivery.
  private func isShown(_ name: OccurrenceID, _ owner: Habit.Owner, _ schedule: Schedule) -> Bool {
    (state.receipts[name.habit] ?? []).contains { receipt in
      if owner == .both, receipt.replica != replica, receipt.state == .submitted { return false }
      guard receipt.occurrence == name else { return false }
      if receipt.state > .submitted { return true }
      guard let fireAt = receipt.fireAt, fireAt <= now,
        state.devices[receipt.replica]?.isGranted(at: fireAt) ?? false
      else { return false }
      return !(floats(schedule, name) && isLeftBehind(receipt.replica, by: fireAt))
    }
  }

  /// Whether an occurrence follows the device's zone and is not snoozed.
  private func floats(_ schedule: Schedule, _ name: OccurrenceID) -> Bool {
    if case .interval = schedule.rule { return false }
    if case .snoozed = name.revision { return false }
    return schedule.civilZone == .floating
  }

  /// Whether a watch was last known in another zone than the planning phone, which entered its own
  /// zone before a moment.
  private func isLeftBehind(_ other: ReplicaID, by moment: Instant) -> Bool {
    guard let own = state.devices[replica], own.description?.role == .phone, other != replica,
      let watch = state.devices[other]?.description, let since = own.describedBy
    else { return false }
    return watch.zone != own.description?.zone
      && since.timestamp.milliseconds <= moment.milliseconds
  }

  // MARK: - Two replicas

  /// Returns violations of the properties of two replicas that hold the same events.
  static func compare(
    _ phone: HistoryProperties, _ watch: HistoryProperties
  ) async throws -> [String] {
    var violations: [String] = []
    let digests = [
      try await phone.device.store.stateDigest(),
      try await watch.device.store.stateDigest(),
    ]
    if digests[0] != digests[1] { violations.append("their digests differ") }
    let states = [try await phone.device.store.state(), try await watch.device.store.state()]
    let (now, zone) = (max(phone.now, watch.now), phone.device.zone.zone)
    var plans: [NotificationPlan] = []
    for replica in [phone.replica, watch.replica] {
      let pair = states.map { plan($0, for: replica, at: now, in: zone, capacity: 10_000) }
      if pair[0] != pair[1] { violations.append("equal events plan different requests") }
      plans.append(pair[0])
    }
    guard states[0].settings.digest == nil, plans.allSatisfy({ $0.blocked == nil }) else {
      return violations
    }
    let both = plans.map { plan in
      plan.requests.filter { states[0].habits[$0.habit]?.owner == .both }
    }
    // A request held by one device may be delivered by it, and is not planned on the other.
    let alike = both.map { requests in
      requests.filter { request in
        !(states[0].receipts[request.habit] ?? []).contains { $0.state == .submitted }
      }.map(\.id)
    }
    if Set(alike[0]) != Set(alike[1]) { violations.append("requests of both have different ids") }
    let phoneIDs = Set(plans[0].requests.map(\.id)), watchIDs = Set(plans[1].requests.map(\.id))
    let isSeen = [phone.replica, watch.replica].allSatisfy { replica in
      states[0].devices[replica]?.lastSeen.map {
        now.milliseconds - $0.milliseconds
          < Int64(states[0].settings.staleHours) * 3_600_000
      } ?? false
    }
    let twice = phoneIDs.intersection(watchIDs).subtracting(both[0].map(\.id))
    if isSeen, !twice.isEmpty { violations.append("both fire \(twice.sorted())") }
    return violations
  }
}

extension Pause {
  /// Whether the pause suppresses a habit on a date.
  fileprivate func holds(_ id: HabitID, on date: CivilDate) -> Bool {
    (habit == nil || habit == id) && date >= first && last.map { date <= $0 } ?? true
  }
}

extension OccurrenceID {
  fileprivate var isSnoozed: Bool { if case .snoozed = revision { true } else { false } }
}

extension LoggedEvent {
  /// The event with the payload that a reader sees.
  fileprivate var opened: StoredEvent {
    guard let payload, event.redacted == nil, let bytes = try? PayloadCoding.encode(payload) else {
      return event
    }
    return StoredEvent(
      id: event.id, replica: event.replica, sequence: event.sequence, payload: bytes)
  }
}
