/// Where an occurrence comes to ring, and why it does not.
struct Placement {
  /// When it rings, or would.
  let fireAt: Instant
  /// Why it does not ring, up to quiet hours; nil where it does.
  let reason: Reason?
  /// It as it rings.
  let ring: Ring

  /// Whether nothing silences it except having been shown.
  var rings: Bool { reason == nil || reason == .shown }
}

extension HabitPlan {
  /// What becomes of an occurrence, but for now, other devices and the capacity.
  func placement(of occurrence: Occurrence, _ slot: SlotPlan) -> Placement {
    let snooze = snoozes.first { $0.slot === slot && $0.occurrence == occurrence }
    let ring = snooze?.ring ?? Ring(occurrence, of: slot)
    let silence = snooze.map(\.reason) ?? slot.silence.reason(occurrence)
    // What was shown is still put off, to tell whether it counts.
    let effect = snooze.map { $0.quietEffect(frame) } ?? slot.quietEffect(occurrence)
    if let silence, silence != .shown {
      return Placement(fireAt: ring.fireAt, reason: silence, ring: ring)
    }
    switch effect {
    case .none, .passive:
      return Placement(fireAt: ring.fireAt, reason: silence, ring: ring)
    case .dropped:
      return Placement(fireAt: ring.fireAt, reason: silence ?? .quietHours, ring: ring)
    case .deferred(let until):
      if silence == nil, gathering(at: until).first?.isSame(as: ring) == false {
        return Placement(fireAt: ring.fireAt, reason: .quietHours, ring: ring)
      }
      return Placement(fireAt: until, reason: silence, ring: ring)
    }
  }
}
