import Carillon
import CarillonModel

/// The reasons of explanations, in words.
struct ReasonWords {
  private let replicas: [ReplicaID: ReplicaInfo]
  private let device: Device
  private let today: CivilDate
  private let output: Output
  /// The number of notifications that the system can hold.
  private let capacity: Int
  /// Why no reminder of any habit fires, and what to do; nil unless all habits are paused.
  let pausedAll: String?
  /// When the plan that the system has ended; nil if it covers the time ahead, or is not known.
  var ranOut: Instant?
  /// The queue of the desktop, which knows why a notification was not shown; nil if there is none.
  var desktop: DesktopQueue?

  init(_ store: Store, _ output: Output) async throws {
    replicas = Dictionary(
      try await store.replicas().map { ($0.replica, $0) }, uniquingKeysWith: { first, _ in first })
    device = try await store.device()
    today = try await store.today()
    self.output = output
    capacity = store.capacity
    pausedAll = try await store.pauseOfAll().map { pause in
      "All habits are paused \(output.time.text(pauseUntil: pause.last)). To resume: "
        + "\(output.carillon) habit resume --all"
    }
  }

  /// Why nothing or not everything is delivered on this device, and what to do; nil if nothing
  /// prevents it.
  var stopped: String? {
    if let blocked { return blocked }
    return ranOut.map { end in
      "The plan that the system has ended on \(output.time.text(end)); later reminders may be "
        + "missing. To plan again: \(carillon) plan --apply FILE, or \(carillon) watch"
    }
  }

  /// Since when something prevents delivery on this device; nil if it is not known.
  var blockedSince: Instant? {
    switch device.blocked {
    case .notDetermined, .denied: device.permissionSince
    case .alertsOff: device.alertsSince
    case nil: device.retiredSince
    }
  }

  /// Why nothing may be delivered on this device, and what to do; nil if nothing prevents it.
  var blocked: String? {
    guard device.description?.role != .server else { return nil }
    return device.blocked.map { NextCommand.naming(output.store, in: $0.text) }
  }

  /// Returns why a habit's occurrence is planned or not, with the values behind it, and what would
  /// change it.
  func text(_ explanation: Explanation, of habit: Habit) -> String {
    var reason = reason(explanation, of: habit)
    if let earlier = explanation.earlier {
      let time = earlier.at.map { " \(output.time.text($0))" } ?? ""
      let again = explanation.isPast ? "after the snooze " : ""
      reason = "\(delivered(earlier, briefly: true))\(time); \(again)\(reason)"
    }
    if let end = explanation.unrecordedSnooze {
      reason += "; snoozed until \(output.time.text(end)), and no device recorded that it fired"
    }
    if let end = explanation.pausedSnooze {
      reason += "; snoozed until \(output.time.text(end)), which a pause ends"
    }
    guard explanation.isPast, ![.delivered, .past].contains(explanation.reason) else {
      return reason
    }
    return "\(reason); no device recorded that it fired"
  }

  /// Returns why a reminder cannot be snoozed, with its date if that is done or skipped.
  func text(obstacle: Explanation, of habit: Habit) -> String {
    let date = output.time.text(obstacle.due)
    return switch (obstacle.reason, obstacle.detail) {
    case (.done, .none): "\(habit.title) is done on \(date)"
    case (.skipped, _): "\(habit.title) is skipped on \(date)"
    default: reason(obstacle, of: habit)
    }
  }

  private func reason(_ explanation: Explanation, of habit: Habit) -> String {
    let (detail, name) = (explanation.detail, habit.argument)
    return switch explanation.reason {
    case .deleted: "the habit is deleted; to restore it: \(carillon) habit restore \(name)"
    case .archived: "the habit is archived; to show it again: \(carillon) habit unarchive \(name)"
    case .paused: paused(detail, name)
    case .beforeStart: beforeStart(detail)
    case .afterEnd: "the habit ended on \(date(detail))"
    case .skipped: "the date is skipped"
    case .done: done(detail)
    case .quotaMet: quota(detail, explanation)
    case .anyEntry: "something was recorded for the date"
    case .inactive: inactive(detail)
    case .delivered: delivered(explanation)
    case .quietHours: quietHours(detail)
    case .past: past(explanation, of: habit)
    case .otherDevice: otherDevice(detail)
    case .noDevice: noDevice(habit.owner)
    case .beyondHorizon:
      "planned once it is nearer: the plan ends \(until(detail) ?? "before it")"
    case .overCapacity: overCapacity(detail)
    case .planned where device.blocked != nil: "planned, but nothing may be delivered"
    case .planned: willFire(detail)
    }
  }

  private func willFire(_ detail: Explanation.Detail) -> String {
    guard case .moved(let mover) = detail else {
      return ranOut == nil ? "it will fire" : "planned; it fires once the system has a new plan"
    }
    return switch mover {
    case .quietHours: "it will fire when quiet hours end"
    case .snooze: "it will fire, since it was snoozed until then"
    case .digest: "it will fire in a digest, together with other reminders"
    }
  }

  /// Whether an occurrence will fire on this device, as far as is known now.
  func fires(_ explanation: Explanation) -> Bool {
    [.planned, .beyondHorizon].contains(explanation.reason) && device.blocked == nil
  }

  private var carillon: String { output.carillon }

  private func paused(_ detail: Explanation.Detail, _ habit: String) -> String {
    guard case .paused(_, let last, let isOfAll) = detail else { return "paused" }
    let end = output.time.text(pauseUntil: last)
    let resume = "\(carillon) habit resume \(isOfAll ? "--all" : habit)"
    return "\(isOfAll ? "all habits are " : "")paused \(end); to resume: \(resume)"
  }

  private func date(_ detail: Explanation.Detail) -> String {
    if case .date(let date) = detail { output.time.text(date) } else { "another date" }
  }

  private func beforeStart(_ detail: Explanation.Detail) -> String {
    guard case .created(let instant) = detail else { return "the habit starts on \(date(detail))" }
    return "the reminder was added later, \(output.time.text(instant))"
  }

  private func done(_ detail: Explanation.Detail) -> String {
    guard case .doneRecently(let until) = detail else { return "the date is done" }
    return "it was done shortly before, which counts until \(output.time.text(until))"
  }

  private func overCapacity(_ detail: Explanation.Detail) -> String {
    let since: Instant? = if case .overCapacity(_, let since) = detail { since } else { nil }
    return "it does not fit" + (since.map { " from \(output.time.text($0)) on" } ?? "") + ": "
      + QueueWords.reason(capacity: capacity)
  }

  private func quota(_ detail: Explanation.Detail, _ explanation: Explanation) -> String {
    guard case .quota(let quota, let done) = detail else {
      return "its quota is met now; the reminder was changed since, so what held then is not known"
    }
    let due = explanation.due
    let counted = "\(done) of \(quota.count)"
    let are = explanation.isPast ? "were" : "are"
    switch quota.period {
    case .day: return "\(counted) \(due == today ? "today" : "on the date") \(are) done"
    case .week:
      let monday = due.adding(days: 1 - Int(due.weekday.rawValue))
      let isThis = (0..<7).contains(monday.days(to: today))
      let week = isThis ? "this week" : "in the week of \(output.time.text(monday))"
      return "\(counted) \(week) \(are) done"
    case .month:
      let month = LocalTime.monthName(of: due)
      return "\(counted) in \(month) \(are) done"
    case .rolling(let days):
      let first = output.time.text(due.adding(days: 1 - days))
      return "\(counted) in the \(days.counted("day")) from \(first) \(are) done"
    }
  }

  private func inactive(_ detail: Explanation.Detail) -> String {
    guard case .inactive(let since, let days) = detail else { return "nothing was recorded" }
    let last = since.adding(days: days)
    guard today <= last else {
      return "stopped since \(output.time.text(last.adding(days: 1))): nothing was recorded for "
        + "\(days.counted("day")), last on \(output.time.text(since)); to resume: "
        + "\(carillon) active"
    }
    return "it stops \(days.counted("day")) after anything was last recorded, which was "
      + "\(output.time.text(since)); to resume: \(carillon) active"
  }

  private func past(_ explanation: Explanation, of habit: Habit) -> String {
    guard case .notDelivered(let other) = explanation.detail else {
      return "no device recorded whether it fired"
    }
    let device = other == self.device.replica ? "this device" : name(other)
    // The desktop keeps the reason of one notification, which may be another habit's.
    if other == self.device.replica, let refusal = desktop?.refusal(of: explanation),
      refusal.contains("\"\(habit.title.printable)\"")
    {
      return "not delivered: \(refusal)"
    }
    return "not delivered: \(device) could not show it when it was due"
  }

  private func delivered(_ explanation: Explanation) -> String {
    guard case .delivery(let delivery) = explanation.detail else { return "delivered" }
    let text = delivered(delivery)
    switch (explanation.dateReason, delivery.state) {
    case (_, .dismissed), (_, .opened), (_, .acted), (nil, _): return text
    case (.skipped, _): return "\(text); the date is skipped"
    case (_, _): return "\(text); the date is done"
    }
  }

  private func delivered(
    _ delivery: Explanation.Delivery, briefly isBrief: Bool = false
  ) -> String {
    let device = delivery.replica == self.device.replica ? "" : " on \(name(delivery.replica))"
    return switch delivery.state {
    case .presumed:
      "presumed delivered\(device)"
        + (isBrief ? "" : ": the system had it, and no answer came back")
    case .expired: "expired\(device)"
    case .delivered, .submitted, .observed: "delivered\(device)"
    case .dismissed, .opened, .acted: "delivered\(device) and \(delivery.state.rawValue)"
    }
  }

  private func quietHours(_ detail: Explanation.Detail) -> String {
    guard case .quietHours(let until?) = detail else {
      return "dropped, since it falls into quiet hours"
    }
    return "another reminder of the habit fires for it when quiet hours end, "
      + output.time.text(until)
  }

  private func otherDevice(_ detail: Explanation.Detail) -> String {
    guard case .device(let other) = detail else { return "another device reminds" }
    return "\(name(other)) reminds; this is \(name(device.replica))"
  }

  private func noDevice(_ owner: Habit.Owner) -> String {
    switch owner {
    case .phone, .watch:
      "only a \(owner.rawValue) reminds of it, and none is in use"
    case .phoneFirst, .both:
      device.description?.role == .server
        ? "a server never reminds, and no other device is in use"
        : isRetired
          ? "this device is retired, and no other is in use; to use it again: "
            + output.undoRetiring(device.name ?? "", device.replica)
          : "this device was replaced, and no other is in use"
    }
  }

  /// Returns the name of a device: `the phone` if it is named after what it is.
  func name(_ replica: ReplicaID) -> String {
    guard let info = replicas[replica] else {
      return replica == device.replica
        ? device.description?.name ?? "this device" : String(replica.description.prefix(8))
    }
    return info.name == info.role?.rawValue ? "the \(info.name)" : info.name
  }

  private var isRetired: Bool { device.retiredSince != nil }

  /// Returns which device reminds in place of this one, or why none does; nil if this device
  /// reminds of any habit, or would if one had reminders.
  func replacement(_ status: StoreStatus) -> String? {
    let own = device.replica
    guard isRetired || status.hasReminders, status.deliverer != own,
      !status.owners.contains(where: { $0.deliverer == own })
    else { return nil }
    return reminders(status)
  }

  /// Returns which device reminds: first of habits that any device may remind of, then of others.
  func reminders(_ status: StoreStatus) -> String {
    let others = status.owners.filter { $0.owner != .phoneFirst }.map(exception)
    return ([usual(status)] + others).joined(separator: "; ")
  }

  /// The answer of ``reminders(_:)`` for programs.
  func remindersJSON(_ status: StoreStatus) -> JSON {
    [
      "replica": .text(status.deliverer?.description), "blocked": .text(status.blocked?.rawValue),
      "detail": .text(reminders(status)),
      "owners": .array(status.owners) { own in
        [
          "owner": .text(own.owner.rawValue), "habits": .integer(own.habitCount),
          "replica": .text(own.deliverer?.description),
        ]
      },
    ]
  }

  private func exception(_ own: OwnerDelivery) -> String {
    let habits = own.habitCount.counted("habit")
    let options = "\(habits) with --owner \(own.owner.rawValue)"
    if own.owner == .both, own.deliverer == device.replica {
      return "of \(options) every device in use reminds"
    }
    guard let deliverer = own.deliverer else { return "no device reminds of \(options)" }
    return deliverer == device.replica
      ? "this device reminds of \(options)" : "\(name(deliverer)) reminds of \(options)"
  }

  private func usual(_ status: StoreStatus) -> String {
    let isServer = device.description?.role == .server
    let state =
      switch status.blocked {
      case _ where isRetired:
        ", which is retired; to use it again: \(output.undoRetiring(status.name, status.replica))"
      case _ where isServer: ", a server, which never reminds"
      case .notDetermined: ", which has no permission yet"
      case .denied: ", for which permission is denied"
      case .alertsOff: ", whose alerts are off"
      case nil: ""
      }
    guard let deliverer = status.deliverer else {
      return "no device reminds; this is \(name(device.replica))\(state)"
    }
    return deliverer == device.replica
      ? "this device reminds"
      : "\(name(deliverer)) reminds; this is \(name(device.replica))\(state)"
  }

  private func until(_ detail: Explanation.Detail) -> String? {
    if case .coverage(let until) = detail { output.time.text(until) } else { nil }
  }
}

extension Explanation {
  /// The values behind the reason, for programs: `since`, `until`, `done`, `of`, `replica`, `state`
  /// and `movedBy`, as far as the reason has them.
  func values(_ time: LocalTime) -> JSON {
    switch detail {
    case .none, .owner: [:]
    case .date(let date): ["date": .text(date.description)]
    case .created(let instant): ["since": .text(time.rfc3339(instant))]
    case .paused(let first, let last, _):
      ["since": .text(first.description), "until": .text(last?.description)]
    case .doneRecently(let until), .coverage(let until): ["until": .text(time.rfc3339(until))]
    case .overCapacity(let until, let since):
      ["until": .text(time.rfc3339(until)), "since": .text(since.map(time.rfc3339))]
    case .quota(let quota, let done): ["done": .integer(done), "of": .integer(quota.count)]
    case .inactive(let since, let days):
      ["since": .text(since.description), "days": .integer(days)]
    case .delivery(let delivery):
      ["state": .text(delivery.state.rawValue), "replica": .text(delivery.replica.description)]
    case .quietHours(let until): ["until": .text(until.map(time.rfc3339))]
    case .device(let replica), .notDelivered(let replica): ["replica": .text(replica.description)]
    case .moved(let mover): ["movedBy": .text(mover.rawValue)]
    }
  }
}
