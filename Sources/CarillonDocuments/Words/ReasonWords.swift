package import Carillon
package import CarillonModel

/// The reasons of explanations, in words.
package struct ReasonWords: Sendable {
  /// Returns why this device did not show the notification of an occurrence, if its system says it.
  package typealias Refusal = @Sendable (Explanation, Habit) -> String?

  /// Which device delivers, and what prevents it.
  package let delivery: DeliveryWords
  private let today: CivilDate
  /// The number of notifications that the system can hold.
  private let capacity: Int
  private let refusal: Refusal
  private var time: LocalTime { delivery.time }
  private var terms: Terms { delivery.terms }

  /// Reads from a store what the words name.
  ///
  /// - Parameter ranOut: When the plan that the system has ended; nil if it covers the time ahead,
  ///   or is not known.
  package init(
    _ store: Store, _ time: LocalTime, _ terms: Terms = .plain, ranOut: Instant? = nil,
    refusal: @escaping Refusal = { _, _ in nil }
  ) async throws {
    delivery = try await DeliveryWords(store, time, terms, ranOut: ranOut)
    today = try await store.today()
    capacity = store.capacity
    self.refusal = refusal
  }

  /// Returns why a habit's occurrence is planned or not, with the values behind it, and what would
  /// change it.
  package func text(_ explanation: Explanation, of habit: Habit) -> String {
    var reason = reason(explanation, of: habit)
    if let earlier = explanation.earlier {
      let at = earlier.at.map { " \(time.text($0))" } ?? ""
      let again = explanation.isPast ? "after the snooze " : ""
      reason = "\(delivered(earlier, briefly: true))\(at); \(again)\(reason)"
    }
    if let end = explanation.unrecordedSnooze {
      reason += "; snoozed until \(time.text(end)), and no device recorded that it fired"
    }
    if let end = explanation.pausedSnooze {
      reason += "; snoozed until \(time.text(end)), which a pause ends"
    }
    guard explanation.isPast, ![.delivered, .past].contains(explanation.reason) else {
      return reason
    }
    return "\(reason); no device recorded that it fired"
  }

  /// Returns why a reminder cannot be snoozed, with its date if that is done or skipped.
  package func text(obstacle: Explanation, of habit: Habit) -> String {
    let date = time.text(obstacle.due)
    return switch (obstacle.reason, obstacle.detail) {
    case (.done, .none): "\(habit.title) is done on \(date)"
    case (.skipped, _): "\(habit.title) is skipped on \(date)"
    default: reason(obstacle, of: habit)
    }
  }

  private func reason(_ explanation: Explanation, of habit: Habit) -> String {
    let detail = explanation.detail
    return switch explanation.reason {
    case .deleted: "the habit is deleted" + terms("; to restore it", .restore(habit))
    case .archived: "the habit is archived" + terms("; to show it again", .unarchive(habit))
    case .paused: paused(detail, habit)
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
    case .planned where delivery.blocked != nil: "planned, but reminders are off on this device"
    case .planned: willFire(detail)
    }
  }

  private func willFire(_ detail: Explanation.Detail) -> String {
    guard case .moved(let mover) = detail else {
      return delivery.ranOut == nil
        ? "it will fire" : "planned; it fires once the system has a new plan"
    }
    return switch mover {
    case .quietHours: "it will fire when quiet hours end"
    case .snooze: "it will fire, since it was snoozed until then"
    case .digest: "it will fire in a digest, together with other reminders"
    }
  }

  /// Whether an occurrence will fire on this device, as far as is known now.
  package func fires(_ explanation: Explanation) -> Bool {
    [.planned, .beyondHorizon].contains(explanation.reason) && delivery.blocked == nil
  }

  private func paused(_ detail: Explanation.Detail, _ habit: Habit) -> String {
    guard case .paused(_, let last, let isOfAll) = detail else { return "paused" }
    let end = time.text(pauseUntil: last)
    return "\(isOfAll ? "all habits are " : "")paused \(end)"
      + terms("; to resume", .resume(isOfAll ? nil : habit))
  }

  private func date(_ detail: Explanation.Detail) -> String {
    if case .date(let date) = detail { time.text(date) } else { "another date" }
  }

  private func beforeStart(_ detail: Explanation.Detail) -> String {
    guard case .created(let instant) = detail else { return "the habit starts on \(date(detail))" }
    return "the reminder was added later, \(time.text(instant))"
  }

  private func done(_ detail: Explanation.Detail) -> String {
    guard case .doneRecently(let until) = detail else { return "the date is done" }
    return "it was done shortly before, which counts until \(time.text(until))"
  }

  private func overCapacity(_ detail: Explanation.Detail) -> String {
    let since: Instant? = if case .overCapacity(_, let since) = detail { since } else { nil }
    return "it does not fit" + (since.map { " from \(time.text($0)) on" } ?? "") + ": "
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
      let week = isThis ? "this week" : "in the week of \(time.text(monday))"
      return "\(counted) \(week) \(are) done"
    case .month:
      let month = LocalTime.monthName(of: due)
      return "\(counted) in \(month) \(are) done"
    case .rolling(let days):
      let first = time.text(due.adding(days: 1 - days))
      return "\(counted) in the \(days.counted("day")) from \(first) \(are) done"
    }
  }

  private func inactive(_ detail: Explanation.Detail) -> String {
    guard case .inactive(let since, let days) = detail else { return "nothing was recorded" }
    let last = since.adding(days: days)
    guard today <= last else {
      return "stopped since \(time.text(last.adding(days: 1))): nothing was recorded for "
        + "\(days.counted("day")), last on \(time.text(since))" + terms("; to resume", .recordUse)
    }
    return "it stops \(days.counted("day")) after anything was last recorded, which was "
      + time.text(since) + terms("; to resume", .recordUse)
  }

  private func past(_ explanation: Explanation, of habit: Habit) -> String {
    guard case .notDelivered(let other) = explanation.detail else {
      return "no device recorded whether it fired"
    }
    let isOwn = delivery.isOwn(other)
    if isOwn, let refusal = refusal(explanation, habit) { return "not delivered: \(refusal)" }
    let device = isOwn ? "this device" : delivery.name(other)
    return "not delivered: \(device) could not show it when it was due"
  }

  private func delivered(_ explanation: Explanation) -> String {
    guard case .delivery(let recorded) = explanation.detail else { return "delivered" }
    let text = delivered(recorded)
    switch (explanation.dateReason, recorded.state) {
    case (_, .dismissed), (_, .opened), (_, .acted), (nil, _): return text
    case (.skipped, _): return "\(text); the date is skipped"
    case (_, _): return "\(text); the date is done"
    }
  }

  private func delivered(
    _ recorded: Explanation.Delivery, briefly isBrief: Bool = false
  ) -> String {
    let replica = recorded.replica
    let device = delivery.isOwn(replica) ? "" : " on \(delivery.name(replica))"
    return switch recorded.state {
    case .presumed:
      "presumed delivered\(device)"
        + (isBrief ? "" : ": the system had it, and no answer came back")
    case .expired: "expired\(device)"
    case .delivered, .submitted, .observed: "delivered\(device)"
    case .dismissed, .opened, .acted: "delivered\(device) and \(recorded.state.rawValue)"
    }
  }

  private func quietHours(_ detail: Explanation.Detail) -> String {
    guard case .quietHours(let until?) = detail else {
      return "dropped, since it falls into quiet hours"
    }
    return "another reminder of the habit fires for it when quiet hours end, "
      + time.text(until)
  }

  private func otherDevice(_ detail: Explanation.Detail) -> String {
    guard case .device(let other) = detail else { return "another device reminds" }
    return "\(delivery.name(other)) reminds; this is \(delivery.ownName)"
  }

  private func noDevice(_ owner: Habit.Owner) -> String {
    switch owner {
    case .phone, .watch:
      "only a \(owner.rawValue) reminds of it, and none is in use"
    case .phoneFirst, .both:
      delivery.isServer
        ? "a server never reminds, and no other device is in use"
        : "this device is retired, and no other is in use" + delivery.usingAgain
    }
  }

  private func until(_ detail: Explanation.Detail) -> String? {
    if case .coverage(let until) = detail { time.text(until) } else { nil }
  }
}
