/// When and how a snoozed notification fires.
public struct SnoozeEffect: Hashable, Sendable {
  /// The instant at which the notification fires, or another one that represents it at the end of
  /// quiet hours.
  public let fireAt: Instant
  /// Whether quiet hours remove the sound.
  public let isSilent: Bool
}

extension Planner {
  /// Returns the effect of quiet hours on a snoozed notification.
  ///
  /// - Parameters:
  ///   - occurrence: The snoozed occurrence.
  ///   - until: The end of the snooze.
  package func effect(ofSnoozing occurrence: SnoozableOccurrence, until: Instant) -> SnoozeEffect {
    let schedule = state.habits[occurrence.habit]?.schedules.first { $0.id == occurrence.schedule }
    let frame = frame(from: now, to: horizonEnd)
    let effect = frame.quietEffect(
      at: until, schedule?.quietPolicy ?? .deferred, isSnoozed: true)
    return switch effect {
    case .deferred(let end): SnoozeEffect(fireAt: end, isSilent: false)
    case .passive: SnoozeEffect(fireAt: until, isSilent: true)
    case .none, .dropped: SnoozeEffect(fireAt: until, isSilent: false)
    }
  }
}
