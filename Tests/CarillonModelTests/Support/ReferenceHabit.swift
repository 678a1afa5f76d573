import CarillonModel
import Foundation

/// The requests of one habit, from every occurrence with its snoozes, suppressions and repeats.
struct ReferenceHabit {
  /// One occurrence of a schedule, before anything moves it.
  struct Happening: Hashable {
    let schedule: Int
    let identity: CivilDateTime
    let number: Int
    let fire: Instant
    let due: CivilDate
    let isShifted: Bool
  }

  /// An occurrence as it fires.
  struct Firing {
    let happening: Happening
    var fire: Instant
    var revision: OccurrenceID.Revision
    var isSnoozed = false
    var isPassive = false
    var covers: Set<OccurrenceID> = []
  }

  private(set) var items: [ReferencePlan.Item] = []
  private(set) var places: [ReferencePlan.Item] = []
  private let habit: Habit
  private let fixture: PlanFixture
  private let clock: ReferenceClock
  private let now: Instant
  private let end: Instant

  /// - Parameter isGathered: Whether a digest holds occurrences of a schedule at a time of day, so
  ///   that the system must not repeat it.
  init(
    _ habit: Habit, _ fixture: PlanFixture, _ clock: ReferenceClock, now: Instant, end: Instant,
    isGathered: (ScheduleID, TimeOfDay) -> Bool
  ) {
    (self.habit, self.fixture, self.clock) = (habit, fixture, clock)
    (self.now, self.end) = (now, end)
    let timetable = ReferenceTimetable(clock, now: now, days: fixture.horizonDays)
    let entries = fixture.state.entryTimes[habit.id] ?? []
    let happenings = habit.schedules.indices.map {
      timetable.happenings(of: $0, in: habit, entries: entries)
    }
    var final = quieted(happenings.flatMap { firings($0) })
    for schedule in habit.schedules.indices {
      addRepeating(schedule, happenings[schedule], &final, isGathered)
      if case .place(let place) = habit.schedules[schedule].rule { add(place, schedule) }
    }
    for firing in final where firing.fire > now && firing.fire < end {
      let schedule = habit.schedules[firing.happening.schedule]
      items.append(
        .init(
          fire: firing.fire,
          id: ReferenceID.single(
            habit, schedule, firing.happening.identity, firing.happening.number),
          revision: firing.revision, isPassive: firing.isPassive, covers: firing.covers,
          schedule: schedule.id, time: firing.happening.identity.time,
          isOnce: schedule.rule.isOnce))
    }
  }

  // MARK: - Snoozes and quiet hours

  /// Returns the occurrences of one schedule as they fire, without suppressed ones.
  private func firings(_ happenings: [Happening]) -> [Firing] {
    happenings.compactMap { happening in
      var firing = Firing(
        happening: happening, fire: happening.fire,
        revision: happening.number == 0 ? .first : .repeat(happening.number))
      var ignoresQuiet = false
      if let snooze = snooze(of: happening),
        let until = snooze.until
      {
        (firing.fire, firing.revision, firing.isSnoozed) = (until, .snoozed(until: until), true)
        ignoresQuiet = snooze.ignoresQuietHours
      }
      guard !isSilent(firing) else { return nil }
      if ignoresQuiet { quietless.insert(happening) }
      if firing.isSnoozed {
        let policy = habit.schedules[happening.schedule].quietPolicy
        let waits = !ignoresQuiet && [.drop, .deferred].contains(policy)
        let end = waits ? clock.end(ofQuietAt: firing.fire) : nil
        if rules.isPaused(at: end ?? firing.fire, from: happening.fire) { return nil }
      }
      return firing
    }
  }

  private func snooze(of happening: Happening) -> Snooze? {
    (fixture.state.snoozes[habit.id] ?? []).first { snooze in
      snooze.until != nil && snooze.schedule == habit.schedules[happening.schedule].id
        && snooze.nominal == happening.identity && snooze.number == happening.number
        && !rules.isDone(on: happening.due, since: snooze) && !isAnswered(happening)
    }
  }

  /// Whether an entry answers an occurrence that counts from entries.
  private func isAnswered(_ happening: Happening) -> Bool {
    guard case .interval(let interval) = habit.schedules[happening.schedule].rule,
      interval.anchor != nil
    else { return false }
    // An occurrence fires at the first full minute after the entry and the interval.
    let (date, time) = (happening.identity.date, happening.identity.time)
    let start = Int64(date.rawValue) * 86_400 + Int64(time.minute) * 60 + 60
    return fixture.state.entryTimes[habit.id, default: []].contains {
      $0.milliseconds >= (start - Int64(interval.seconds)) * 1_000
    }
  }

  private final class Quietless {
    var happenings: Set<Happening> = []
    func insert(_ happening: Happening) { happenings.insert(happening) }
  }

  private let quietless = Quietless()

  private func quieted(_ firings: [Firing]) -> [Firing] {
    var final: [Firing] = []
    var deferred: [Instant: [Firing]] = [:]
    for firing in firings {
      let schedule = habit.schedules[firing.happening.schedule]
      let ignores = quietless.happenings.contains(firing.happening)
      guard !ignores, let until = clock.end(ofQuietAt: firing.fire) else {
        final.append(firing)
        continue
      }
      var firing = firing
      switch schedule.quietPolicy {
      case .fire: final.append(firing)
      case .silent:
        firing.isPassive = true
        final.append(firing)
      case .drop where !firing.isSnoozed: break
      case .drop, .deferred:
        if !rules.isPaused(at: until, from: firing.happening.fire) {
          deferred[until, default: []].append(firing)
        }
      }
    }
    for (until, members) in deferred {
      let names = Set(members.map(name))
      let standing = final.indices.filter { final[$0].fire == until }
      if let coincident = standing.min(by: { id(final[$0]) < id(final[$1]) }) {
        final[coincident].covers = names.subtracting([name(final[coincident])])
      } else if var last = members.max(by: { ($0.fire, id($1)) < ($1.fire, id($0)) }) {
        last.covers = names.subtracting([name(last)])
        last.fire = until
        final.append(last)
      }
    }
    return final
  }

  private func name(_ firing: Firing) -> OccurrenceID {
    OccurrenceID(
      habit: habit.id, schedule: habit.schedules[firing.happening.schedule].id,
      nominal: firing.happening.identity, revision: firing.revision)
  }

  private func id(_ firing: Firing) -> String {
    let schedule = habit.schedules[firing.happening.schedule]
    return ReferenceID.single(habit, schedule, firing.happening.identity, firing.happening.number)
  }

  private var rules: ReferenceRules { ReferenceRules(habit, fixture, clock) }

  private mutating func add(_ place: Schedule.Region, _ index: Int) {
    let schedule = habit.schedules[index]
    let today = clock.due(clock.show(now, clock.calendar(of: schedule)))
    guard rules.reason(schedule, due: today, at: nil) == nil else { return }
    let trigger =
      "place \(place.latitude),\(place.longitude),\(place.radius) \(place.crossing.rawValue)"
    places.append(.init(fire: nil, id: ReferenceID.repeating(habit, schedule, trigger)))
  }

  private func isSilent(_ firing: Firing) -> Bool {
    let schedule = habit.schedules[firing.happening.schedule]
    if let created = fixture.state.scheduleCreated[habit.id]?[schedule.id],
      created.milliseconds <= now.milliseconds + 300_000, firing.happening.fire < created
    {
      return true
    }
    let reason = rules.reason(schedule, due: firing.happening.due, at: firing.fire)
    let outranked: [Explanation.Reason] = firing.isSnoozed ? [.quotaMet, .anyEntry, .inactive] : []
    if let reason, !outranked.contains(reason) { return true }
    return (fixture.state.receipts[habit.id] ?? []).contains { receipt in
      let isDue = receipt.fireAt.map { $0 <= now } ?? false
      return receipt.occurrence == name(firing) && (receipt.state != .submitted || isDue)
    }
  }

  // MARK: - Repeating requests

  /// Replaces single requests with repeating requests.
  private mutating func addRepeating(
    _ index: Int, _ happenings: [Happening], _ final: inout [Firing],
    _ isGathered: (ScheduleID, TimeOfDay) -> Bool
  ) {
    let schedule = habit.schedules[index]
    guard let shape = ReferenceShape(schedule, habit, clock, now: now) else { return }
    let coming = happenings.filter { $0.fire > now }
    for time in Set(coming.map { shape.isInterval ? .midnight : $0.identity.time }) {
      if !shape.isInterval, isGathered(schedule.id, time) { continue }
      let own = coming.filter { shape.isInterval || $0.identity.time == time }
      var next: [String: Happening] = [:]
      for one in own where next[shape.trigger(one.identity)] == nil {
        next[shape.trigger(one.identity)] = one
      }
      let looked = Set(own.filter { $0.fire < end } + next.values)
      let rung = final.filter { looked.contains($0.happening) }
      let isUniform =
        rung.count == looked.count && Set(rung.map(\.isPassive)).count == 1
        && rung.allSatisfy {
          $0.fire == $0.happening.fire && !$0.isSnoozed && !$0.happening.isShifted
        }
      guard isUniform else { continue }
      for (trigger, one) in next {
        guard let firing = final.first(where: { $0.happening == one }) else { continue }
        items.append(
          .init(
            fire: one.fire, id: ReferenceID.repeating(habit, schedule, trigger),
            revision: firing.revision, isPassive: firing.isPassive, covers: firing.covers,
            schedule: schedule.id))
      }
      final.removeAll { own.contains($0.happening) && !$0.isSnoozed }
    }
  }
}

extension Schedule.Rule {
  fileprivate var isOnce: Bool {
    switch self {
    case .once: true
    case .relative(let relative): relative.base.isOnce
    case .weekly, .everyDays, .recurrence, .interval, .place, .unknown: false
    }
  }
}
