/// When a snoozed reminder fires, and how.
public struct SnoozeEffect: Hashable, Sendable {
  /// When it fires, or what stands for it when quiet hours end.
  public let fireAt: Instant
  /// Whether quiet hours take its sound.
  public let isSilent: Bool
}

extension Planner {
  /// What quiet hours make of a reminder that is snoozed.
  ///
  /// - Parameters:
  ///   - occurrence: What is snoozed.
  ///   - until: When it is to fire.
  public func effect(ofSnoozing occurrence: SnoozableOccurrence, until: Instant) -> SnoozeEffect {
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
