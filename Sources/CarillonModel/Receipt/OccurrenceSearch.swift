internal import Foundation

/// Finds the occurrences of request IDs by computing the IDs of the days around now.
package struct OccurrenceSearch {
  private let habits: [Habit]
  private let entryTimes: [HabitID: [Instant]]
  private let frame: PlanFrame
  private let now: Instant
  /// The first instant that is searched.
  private let start: Instant

  /// The number of civil days to search before and after now.
  package static let days = 8

  /// Creates a search over habits, including archived and deleted ones, in a device's zone.
  ///
  /// - Parameters:
  ///   - entryTimes: The times of entries of the habits that depend on them.
  ///   - since: An instant before now, around which and from which on days are searched too.
  package init(
    habits: [Habit], entryTimes: [HabitID: [Instant]] = [:], settings: PlanSettings, now: Instant,
    since: Instant? = nil
  ) {
    self.habits = habits
    self.entryTimes = entryTimes
    let now = now.clamped(to: CivilCalendar.instants)
    self.now = now
    start = min((since ?? now).clamped(to: CivilCalendar.instants), now)
    let (first, last) = (Self.days(-1, from: start), Self.days(1, from: now))
    let zones = ZoneRanges(
      calendar: CivilCalendar(zone: settings.zone), from: first, to: last, now: now,
      dayStart: settings.dayStart)
    frame = PlanFrame(
      state: StoreState(), settings: settings, zones: zones, now: now, end: last,
      repeats: true, pauses: PauseIndex([]))
  }

  /// Returns the occurrences of requests, each with the revision that it has unless it is snoozed,
  /// and with the instant at which it fires unless something moves it.
  ///
  /// A request without an occurrence around now is missing in the result.
  ///
  /// - Complexity: O(occurrences of all schedules in the searched days), independent of the number
  ///   of requests.
  package func occurrences(
    of requests: Set<RequestID>
  ) -> [RequestID: (occurrence: OccurrenceID, instant: Instant)] {
    var found: [RequestID: (occurrence: OccurrenceID, instant: Instant)] = [:]
    for habit in habits {
      for schedule in habit.schedules {
        frame.eachTimetable(of: schedule, entries: entryTimes[habit.id] ?? []) { timetable in
          guard found.count < requests.count else { return }
          for occurrence in occurrences(of: timetable) {
            let own = OccurrenceID(
              habit: habit.id, schedule: schedule.id, nominal: occurrence.identity,
              revision: occurrence.revision)
            let id = own.requestID
            guard requests.contains(id), found[id] == nil else { continue }
            found[id] = (own, occurrence.instant)
            if found.count == requests.count { return }
          }
        }
      }
    }
    return found
  }

  /// Returns the schedule of a repeating request, with its occurrences around now.
  ///
  /// For a monthly or yearly request, occurrences up to 367 days away are found.
  ///
  /// - Complexity: O(occurrences of all schedules in the searched days).
  package func repetition(of request: RequestID) -> Repetition? {
    for habit in habits {
      for schedule in habit.schedules {
        var own: [Occurrence] = []
        frame.eachTimetable(of: schedule, entries: entryTimes[habit.id] ?? []) { timetable in
          own += triggers(of: schedule, timetable).filter {
            RequestID(habit: habit.id, schedule: schedule.id, trigger: $0.trigger) == request
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

  /// Returns the occurrences that the system may repeat, ascending, with the trigger of each.
  private func triggers(
    of schedule: Schedule, _ timetable: borrowing Timetable
  ) -> [(trigger: RequestTrigger.Shape, occurrence: Occurrence)] {
    switch timetable.pattern {
    case .moments: return []
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

  /// Returns the occurrences of the days around now, ascending.
  private func occurrences(
    of timetable: borrowing Timetable, days: Int = Self.days
  ) -> [Occurrence] {
    let last = Self.days(days, from: now)
    var found: [Occurrence] = []
    var next = timetable.first(from: Self.days(-days, from: start))
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

/// The occurrences of a repeating request around now.
package struct Repetition: Sendable {
  /// The habit of the request.
  package let habit: Habit
  /// The schedule whose rule and time define the request.
  package let schedule: ScheduleID
  /// The latest occurrence at or before now under the current schedule, with the instant at which
  /// it fired, or nil if the habit had not started by then.
  package let latest: (nominal: CivilDateTime, fireAt: Instant)?
  /// The next occurrence after now, if it is near.
  package let next: CivilDateTime?
}

extension Schedule {
  /// Whether a civil date and time is one of the schedule's occurrences.
  ///
  /// True if this build cannot decide.
  ///
  /// For an interval, the window is ignored because it depends on the zone, and true is returned if
  /// it counts from entries.
  package func occurs(at nominal: CivilDateTime) -> Bool {
    switch rule {
    case .interval(let interval) where interval.anchor == nil:
      let end = Instant(seconds: nominal.civilSeconds + 59)
      guard interval.seconds > 0, end >= interval.from else { return false }
      return (end.seconds - interval.from.seconds) % interval.seconds < 60
    case .relative(let relative):
      if case .unknown = relative.base { return true }
      return Nominals(relative.base, at: times)?.contains(nominal) ?? false
    case .once, .weekly, .everyDays, .recurrence:
      return Nominals(rule, at: times)?.contains(nominal) ?? false
    case .interval, .place, .unknown: return true
    }
  }
}

extension ScheduleZone {
  /// Returns the calendar of the schedule's times: the device's calendar, or the fixed zone's, or
  /// nil if this build does not know that zone.
  package func calendar(onDevice calendar: CivilCalendar) -> CivilCalendar? {
    guard case .fixed(let name) = self else { return calendar }
    return TimeZone(identifier: name).map(CivilCalendar.init)
  }
}
