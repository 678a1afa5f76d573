internal import Foundation

/// Finds the occurrences for which a request id stands, by computing the ids of the days around
/// now.
package struct OccurrenceSearch {
  private let habits: [Habit]
  private let frame: PlanFrame
  private let now: Instant
  private let dayStart: TimeOfDay

  /// How many civil days before and after now are looked at.
  package static let days = 8

  /// Makes a search over habits, archived and deleted ones among them, in a device's zone.
  package init(habits: [Habit], settings: PlanSettings, now: Instant) {
    self.habits = habits
    self.now = now.clamped(to: CivilCalendar.instants)
    dayStart = settings.dayStart
    let (first, last) = (Self.days(-1, from: self.now), Self.days(1, from: self.now))
    let zones = ZoneRanges(
      calendar: CivilCalendar(zone: settings.zone), from: first, to: last, now: self.now,
      dayStart: settings.dayStart)
    frame = PlanFrame(
      state: State(), settings: settings, zones: zones, now: self.now, end: last,
      pauses: PauseIndex([], in: zones.own.date...zones.own.date))
  }

  /// The occurrence of a request, with the revision that it has unless it is snoozed.
  ///
  /// - Complexity: O(occurrences of all schedules in the days looked at).
  package func occurrence(of request: String) -> OccurrenceID? {
    occurrences(of: [request])[request]?.name
  }

  /// The occurrences of requests, and when they fire unless something moves them; nothing of a
  /// request that is none of an occurrence around now.
  ///
  /// - Complexity: O(occurrences of all schedules in the days looked at), however many the
  ///   requests.
  package func occurrences(
    of requests: Set<String>
  ) -> [String: (name: OccurrenceID, instant: Instant)] {
    var found: [String: (name: OccurrenceID, instant: Instant)] = [:]
    for habit in habits {
      for schedule in habit.schedules {
        frame.eachTimetable(of: schedule) { timetable in
          guard found.count < requests.count else { return }
          for occurrence in occurrences(of: timetable) {
            let id = RequestID(
              habit: habit.id, schedule: schedule.id, nominal: occurrence.identity,
              number: occurrence.number
            ).description
            guard requests.contains(id), found[id] == nil else { continue }
            let name = OccurrenceID(
              habit: habit.id, schedule: schedule.id, nominal: occurrence.identity,
              revision: occurrence.revision)
            found[id] = (name, occurrence.instant)
            if found.count == requests.count { return }
          }
        }
      }
    }
    return found
  }

  /// The schedule of a repeating request, with its occurrences around now.
  ///
  /// A request that comes round monthly or yearly is found by its latest occurrence, however long
  /// ago.
  ///
  /// - Complexity: O(occurrences of all schedules in the days looked at).
  package func repetition(of request: String) -> Repetition? {
    for habit in habits {
      for schedule in habit.schedules {
        var own: [Occurrence] = []
        frame.eachTimetable(of: schedule) { timetable in
          own += triggers(of: schedule, timetable).filter {
            RequestID(habit: habit.id, schedule: schedule.id, trigger: $0.trigger).description
              == request
          }.map(\.occurrence)
        }
        if !own.isEmpty { return repetition(own, of: schedule, habit) }
      }
    }
    return nil
  }

  private func repetition(
    _ occurrences: [Occurrence], of schedule: Schedule, _ habit: Habit
  ) -> Repetition {
    var latest: Occurrence?
    for occurrence in occurrences {
      if let start = habit.start, occurrence.due < start { continue }
      if occurrence.instant > now {
        return Repetition(
          habit: habit, schedule: schedule.id, latest: latest.map { ($0.identity, $0.instant) },
          next: occurrence.identity)
      }
      latest = occurrence
    }
    return Repetition(
      habit: habit, schedule: schedule.id, latest: latest.map { ($0.identity, $0.instant) },
      next: nil)
  }

  /// The occurrences of a schedule that the system may repeat, ascending, with the request of each.
  private func triggers(
    of schedule: Schedule, _ timetable: borrowing Timetable
  ) -> [(trigger: RequestTrigger.Shape, occurrence: Occurrence)] {
    switch timetable.pattern {
    case .interval(let interval):
      guard interval.window == nil else { return [] }
      return occurrences(of: timetable).map { (.every(seconds: interval.seconds), $0) }
    case .nominals(let nominals):
      guard !timetable.isRelative, let shape = nominals.shape?.shape else { return [] }
      let isRare = shape == .monthly || shape == .yearly
      return occurrences(of: timetable, days: isRare ? 367 : Self.days).map {
        (shape.trigger(of: $0.identity), $0)
      }
    }
  }

  /// The occurrences of the days around now, ascending.
  private func occurrences(
    of timetable: borrowing Timetable, days: Int = Self.days
  ) -> [Occurrence] {
    let last = Self.days(days, from: now)
    var found: [Occurrence] = []
    var next = timetable.first(from: Self.days(-days, from: now))
    while let occurrence = next, occurrence.instant < last {
      found.append(occurrence)
      next = timetable.next(after: occurrence)
    }
    return found
  }

  private static func days(_ count: Int, from now: Instant) -> Instant {
    now.adding(seconds: count * 86_400)
  }
}

/// What a repeating request stands for around now.
package struct Repetition: Sendable {
  /// The habit that it reminds of.
  package let habit: Habit
  /// The schedule whose rule and time it comes from.
  package let schedule: ScheduleID
  /// Its latest occurrence at or before now, by the schedule as it is, with when it fired; nil
  /// where the habit had not begun by then.
  package let latest: (nominal: CivilDateTime, fireAt: Instant)?
  /// Its next occurrence after now, where it is near.
  package let next: CivilDateTime?
}

extension Schedule {
  /// Whether a civil date and time names one of its occurrences; true where this build cannot tell.
  ///
  /// Of an interval the window is not looked at, which depends on the zone.
  package func occurs(at nominal: CivilDateTime) -> Bool {
    switch rule {
    case .interval(let interval):
      let end = Instant(seconds: nominal.civilSeconds + 59)
      guard interval.seconds > 0, end >= interval.from else { return false }
      return (end.seconds - interval.from.seconds) % interval.seconds < 60
    case .relative(let relative):
      if case .unknown = relative.base { return true }
      return Nominals(relative.base, at: times)?.contains(nominal) ?? false
    case .once, .weekly, .everyDays, .recurrence:
      return Nominals(rule, at: times)?.contains(nominal) ?? false
    case .place, .unknown: return true
    }
  }
}

extension ScheduleZone {
  /// The calendar by which its schedules fire: the device's, or that of the fixed zone where this
  /// build knows it.
  func calendar(onDevice calendar: CivilCalendar) -> CivilCalendar? {
    guard case .fixed(let name) = self else { return calendar }
    return TimeZone(identifier: name).map(CivilCalendar.init)
  }
}
