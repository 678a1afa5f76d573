/// Where an occurrence comes to fire, and why it does not.
struct Placement {
  /// When it fires, or would.
  let fireAt: Instant
  /// Why it does not fire, up to quiet hours; nil where it does.
  let reason: Reason?
  /// It as it fires.
  let firing: Firing

  /// Whether nothing suppresses it except having been shown.
  var fires: Bool { reason == nil || reason == .shown }
}

extension HabitPlan {
  /// What becomes of an occurrence, but for now, other devices and the capacity.
  func placement(of occurrence: Occurrence, _ schedule: SchedulePlan) -> Placement {
    let snooze = snoozes.first { $0.schedule === schedule && $0.occurrence == occurrence }
    let firing = snooze?.firing ?? Firing(occurrence, of: schedule)
    let suppression = snooze.map(\.reason) ?? schedule.suppression.reason(occurrence)
    // What was shown is still put off, to tell whether it counts.
    let effect = snooze.map { $0.quietEffect(frame) } ?? schedule.quietEffect(occurrence)
    if let suppression, suppression != .shown {
      return Placement(fireAt: firing.fireAt, reason: suppression, firing: firing)
    }
    switch effect {
    case .none, .passive:
      return Placement(fireAt: firing.fireAt, reason: suppression, firing: firing)
    case .dropped:
      return Placement(fireAt: firing.fireAt, reason: suppression ?? .quietHours, firing: firing)
    case .deferred(let until):
      if suppression == nil, batch(at: until).first?.isSame(as: firing) == false {
        return Placement(fireAt: firing.fireAt, reason: .quietHours, firing: firing)
      }
      return Placement(fireAt: until, reason: suppression, firing: firing)
    }
  }
}
