internal import CarillonModel

/// Snoozes, settings, and submitted plans.
extension PayloadGenerator {
  mutating func nearInterval() -> Schedule.Rule {
    .interval(Schedule.Interval(seconds: 14_400, from: Instant(milliseconds: 1_795_000_000_000)))
  }

  /// Returns a snooze or a setting out of a small number, or a plan that a device submitted to its
  /// system.
  ///
  /// - Parameter schedule: A schedule that may be known.
  mutating func nearPlanning(
    _ habit: HabitID, _ schedule: (habit: HabitID, schedule: ScheduleID)?
  ) -> Payload {
    switch int(1...4) {
    case 1: return payload(of: .planSubmitted)
    case 2: return .settingsSet(nearSetting())
    default:
      let known = schedule ?? (habit, id())
      let nominal = CivilDateTime(date: nearDate(), time: nearTime())
      return .snoozeSet(
        SnoozeSet(
          habit: known.habit,
          snooze: Snooze(
            schedule: known.schedule, nominal: nominal, number: int(0...1),
            until: int(1...4) == 1 ? nil : nearInstant(), ignoresQuietHours: bool())))
    }
  }

  /// Returns an instant within five weeks around the dates of ``nearDate()``.
  private mutating func nearInstant() -> Instant {
    Instant(milliseconds: Int64(int(20_755...20_790)) * 86_400_000)
  }

  /// Returns a setting that may be unknown, with a value that may be invalid.
  private mutating func nearSetting() -> SettingsSet {
    let texts = [
      ("dayStart", "04:00"), ("dayStart", "late"), ("quietHours", "22:00-07:00"),
      ("horizonDays", "14"), ("digest", "3/300s"), ("moonPhase", "full"), ("quietHours", "none"),
    ]
    let (name, value) = pick(texts) ?? ("dayStart", "03:00")
    var set = SettingsSet(name: name, value: int(1...4) == 1 ? nil : value)
    set.replaces = nearReplaced(nil)
    return set
  }
}
