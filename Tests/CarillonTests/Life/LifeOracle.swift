import CarillonModel
import Foundation

/// One fire, as identified by the oracle and the log.
struct LifeFiring: Hashable {
  let habit: HabitID
  let nominal: CivilDateTime
  /// `0`, or the milliseconds until which it was snoozed.
  let revision: OccurrenceID.Revision

  var isSnoozed: Bool { if case .snoozed = revision { true } else { false } }
}

/// Computes what must fire directly from the facts, one date and time after another.
struct LifeOracle {
  struct Due {
    let firing: LifeFiring
    var at: Instant
    /// Whether people travelled west across it, so that the clocks show its time twice.
    var comesTwice: Bool
    /// Whether it comes in quiet hours, without sound.
    var isPassive = false
    /// When it would have fired if quiet hours had not delayed it.
    var wouldRing: Instant?
    var isPutOff: Bool { wouldRing != nil }
    /// What it also covers because quiet hours delayed it to the same time.
    var covers: Set<LifeFiring> = []
  }

  let zones: LifeZones
  let dayStart: TimeOfDay
  let quietHours: DayWindow?

  /// Returns what fires after one instant up to another, considering only the facts.
  func firings(_ state: LifeState, after start: Instant, through end: Instant) -> [Due] {
    let first = LifeZones.civil(start, in: .gmt).date.adding(days: -3)
    let last = LifeZones.civil(end, in: .gmt).date.adding(days: 2)
    return state.habits.values.flatMap { habit in
      let all = (first...last).lazy.filter(habit.isOn).flatMap { date in
        habit.times.map { CivilDateTime(date: date, time: $0) }
      }.filter { nominal in
        let reason = state.suppression(habit, due: due(nominal))
        let isSnoozed = state.snooze(habit.id, nominal, due: due(nominal)) != nil
        return reason == nil || isSnoozed && reason == "inactive"
      }
      .flatMap { firings($0, of: habit, state, at: start) }
      return gathered(Array(all)).filter { $0.at > start && $0.at <= end }
    }
  }

  /// Returns what a system fires up to `end` if it was given, at `start`, everything due then.
  ///
  /// A reminder in local time fires when the people's clocks show its time, and any other at its
  /// instant.
  ///
  /// - Returns: Each with the time at which it was due to fire when given. Reminders that people
  ///   skipped by travelling east are not included.
  func firings(
    givenAt moment: Instant, _ state: LifeState, through end: Instant
  ) -> [(due: Due, planned: Instant)] {
    let there = LifeOracle(
      zones: zones.staying(since: moment), dayStart: dayStart, quietHours: quietHours)
    return there.firings(state, after: moment, through: end.later(86_400)).compactMap { due in
      guard let habit = state.habits[due.firing.habit],
        let at = carried(due, of: habit, since: moment), at <= end
      else { return nil }
      var moved = due
      moved.at = at
      return (moved, due.at)
    }
  }

  /// Returns when the clocks show the time of a reminder given at an instant; nil if they never do.
  private func carried(_ due: Due, of habit: LifeHabit, since moment: Instant) -> Instant? {
    guard habit.zone == .floating, due.firing.revision == .first,
      zones.segments.contains(where: { $0.from > moment })
    else { return due.at }
    let shown = LifeZones.civil(due.at, in: zones.zone(at: moment))
    return zones.moments(of: shown, of: habit, seen: moment).first {
      $0.holds($0.at) && $0.at > moment
    }?.at
  }

  /// Returns the due date, which done, skip and pause refer to.
  func due(_ nominal: CivilDateTime) -> CivilDate {
    nominal.time < dayStart ? nominal.date.adding(days: -1) : nominal.date
  }

  /// Returns the logical date of an instant where people are.
  func today(_ now: Instant) -> CivilDate {
    due(LifeZones.civil(now, in: zones.zone(at: now)))
  }

  private func firings(
    _ nominal: CivilDateTime, of habit: LifeHabit, _ state: LifeState, at moment: Instant
  ) -> [Due] {
    if let until = state.snooze(habit.id, nominal, due: due(nominal)) {
      let firing = LifeFiring(
        habit: habit.id, nominal: nominal, revision: .snoozed(until: until))
      let own = LifeZones.Moment(at: until, zone: zones.zone(at: moment))
      let rang = zones.moments(of: nominal, of: habit, seen: moment)
        .first { $0.zone == own.zone }
      let ownDate = due(rang.map { LifeZones.civil($0.at, in: $0.zone) } ?? nominal)
      return quiet(firing, own, habit.quietPolicy == .drop ? .deferred : habit.quietPolicy)
        .map { [$0] }?.filter { !isPaused($0, from: ownDate, own, state) } ?? []
    }
    let firing = LifeFiring(habit: habit.id, nominal: nominal, revision: .first)
    let moments = zones.moments(of: nominal, of: habit, seen: moment)
    let all = moments.filter { $0.at >= habit.createdAt }.compactMap { moment in
      quiet(firing, moment, habit.quietPolicy).flatMap { due in
        let own = self.due(LifeZones.civil(moment.at, in: moment.zone))
        return moment.holds(due.at) && !isPaused(due, from: own, moment, state) ? due : nil
      }
    }
    return all.map {
      var due = $0
      due.comesTwice = all.count > 1
      return due
    }
  }

  /// Whether a pause covers the date to which a snooze or quiet hours move a reminder from another
  /// date.
  private func isPaused(
    _ one: Due, from own: CivilDate, _ moment: LifeZones.Moment, _ state: LifeState
  ) -> Bool {
    let date = due(LifeZones.civil(one.at, in: moment.zone))
    return date != own && state.isPaused(one.firing.habit, on: date)
  }

  /// Returns a reminder as changed by quiet hours; nil if they drop it.
  private func quiet(
    _ firing: LifeFiring, _ moment: LifeZones.Moment, _ policy: QuietPolicy
  ) -> Due? {
    let shown = LifeZones.civil(moment.at, in: moment.zone)
    guard let quietHours, quietHours.contains(shown.time) else {
      return Due(firing: firing, at: moment.at, comesTwice: false)
    }
    switch policy {
    case .drop: return nil
    case .fire: return Due(firing: firing, at: moment.at, comesTwice: false)
    case .silent: return Due(firing: firing, at: moment.at, comesTwice: false, isPassive: true)
    case .deferred:
      let date = shown.time < quietHours.to ? shown.date : shown.date.adding(days: 1)
      let until = CivilDateTime(date: date, time: quietHours.to)
      return LifeZones.instant(until, in: moment.zone).map {
        Due(firing: firing, at: $0, comesTwice: false, wouldRing: moment.at)
      }
    }
  }

  /// Keeps at most one reminder of each habit when quiet hours end: one that fires then anyway,
  /// else the one that would have fired last.
  private func gathered(_ all: [Due]) -> [Due] {
    let putOff = Dictionary(grouping: all.filter(\.isPutOff), by: \.at)
    var firings = all.filter { !$0.isPutOff }
    for (end, members) in putOff {
      let index = firings.firstIndex { $0.at == end }
      guard
        var one = index.map({ firings.remove(at: $0) })
          ?? members.max(by: { $0.wouldRing ?? end < $1.wouldRing ?? end })
      else { continue }
      one.covers = Set(members.map(\.firing)).subtracting([one.firing])
      one.comesTwice = one.comesTwice || members.contains(where: \.comesTwice)
      firings.append(one)
    }
    return firings
  }
}
