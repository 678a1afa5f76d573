import CarillonModel
import Foundation

/// One ring as the oracle and the log name it.
struct LifeRing: Hashable {
  let habit: HabitID
  let nominal: CivilDateTime
  /// `0`, or the milliseconds until which it was snoozed.
  let revision: String
}

/// What is to ring, read plainly from the facts: every date and time, one by one.
struct LifeOracle {
  struct Due {
    let ring: LifeRing
    let at: Instant
    /// People travelled west over it, so that the clocks show its time twice.
    let comesTwice: Bool
  }

  let zones: LifeZones
  let dayStart: TimeOfDay

  /// What rings after one instant up to another, as far as nothing but the facts keeps it silent.
  func rings(_ state: LifeState, after start: Instant, through end: Instant) -> [Due] {
    let first = LifeZones.civil(start, in: .gmt).date.adding(days: -3)
    let last = LifeZones.civil(end, in: .gmt).date.adding(days: 2)
    var found: [Due] = []
    for habit in state.habits.values {
      for date in first...last where habit.isOn(date) {
        for time in habit.times {
          let nominal = CivilDateTime(date: date, time: time)
          guard state.silence(habit, due: due(nominal)) == nil else { continue }
          found += rings(nominal, of: habit, state, at: start)
            .filter { $0.at > start && $0.at <= end }
        }
      }
    }
    return found
  }

  /// The date that done, skip and pause are looked up by.
  func due(_ nominal: CivilDateTime) -> CivilDate {
    nominal.time < dayStart ? nominal.date.adding(days: -1) : nominal.date
  }

  /// The logical date of an instant where people are.
  func today(_ now: Instant) -> CivilDate {
    due(LifeZones.civil(now, in: zones.zone(at: now)))
  }

  private func rings(
    _ nominal: CivilDateTime, of habit: LifeHabit, _ state: LifeState, at moment: Instant
  ) -> [Due] {
    let snoozed = state.snoozes[.init(habit: habit.id, nominal: nominal)]
    if let until = snoozed, next(after: nominal, of: habit, at: moment).map({ until < $0 }) ?? true
    {
      let ring = LifeRing(
        habit: habit.id, nominal: nominal, revision: "\(until.milliseconds)")
      return [Due(ring: ring, at: until, comesTwice: false)]
    }
    let fires = zones.fires(nominal, of: habit)
    return fires.map {
      Due(
        ring: LifeRing(habit: habit.id, nominal: nominal, revision: "0"), at: $0,
        comesTwice: fires.count > 1)
    }
  }

  /// When the next occurrence of the same slot rings, where people are at a moment.
  private func next(
    after nominal: CivilDateTime, of habit: LifeHabit, at moment: Instant
  ) -> Instant? {
    var zone = zones.zone(at: moment)
    if case .fixed(let name) = habit.zone, let own = .init(identifier: name) as TimeZone? {
      zone = own
    }
    guard let own = LifeZones.instant(nominal, in: zone) else { return nil }
    for date in nominal.date.adding(days: -1)...nominal.date.adding(days: 12)
    where habit.isOn(date) {
      let later = habit.times.compactMap {
        LifeZones.instant(CivilDateTime(date: date, time: $0), in: zone)
      }.filter { $0 > own }
      if let first = later.min() { return first }
    }
    return nil
  }
}
