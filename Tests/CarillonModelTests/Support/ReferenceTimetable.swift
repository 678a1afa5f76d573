import CarillonModel
import Foundation

/// Every occurrence of a schedule around a horizon, found by stepping from day to day.
struct ReferenceTimetable {
  private let clock: ReferenceClock
  private let now: Instant
  private let days: Int

  init(_ clock: ReferenceClock, now: Instant, days: Int) {
    (self.clock, self.now, self.days) = (clock, now, days)
  }

  /// Sorted by the instant at which they fire.
  func happenings(
    of index: Int, in habit: Habit, entries: [Instant]
  ) -> [ReferenceHabit.Happening] {
    let schedule = habit.schedules[index]
    let found: [ReferenceHabit.Happening] =
      switch schedule.rule {
      case .interval(let interval) where interval.anchor != nil:
        following(entries, interval, schedule, index)
      case .interval(let interval): elapsed(interval, schedule, index)
      case .relative(let relative):
        (0...relative.repeatCount).flatMap { number in
          let edge = relative.edge == .end ? relative.durationMinutes * 60 : 0
          let shift = edge + relative.offsetSeconds + number * relative.repeatSeconds
          return nominals(relative.base, schedule).compactMap {
            happening($0, schedule, index, shift: shift, number: number)
          }
        }
      default: nominals(schedule.rule, schedule).compactMap { happening($0, schedule, index) }
      }
    return found.sorted {
      ($0.fire, $0.identity, $0.number) < ($1.fire, $1.identity, $1.number)
    }
  }

  private func happening(
    _ nominal: CivilDateTime, _ schedule: Schedule, _ index: Int, shift: Int = 0, number: Int = 0
  ) -> ReferenceHabit.Happening? {
    let calendar = clock.calendar(of: schedule)
    guard let base = clock.resolve(nominal, calendar) else { return nil }
    let shown = clock.show(base, calendar)
    // On a date that the zone skips, the clock shows the same minute of another date.
    if shown.date != nominal.date && shown.time == nominal.time { return nil }
    return .init(
      schedule: index, identity: nominal, number: number,
      fire: Instant(milliseconds: base.milliseconds + Int64(shift) * 1_000),
      due: clock.due(nominal), isShifted: shown != nominal)
  }

  /// An entry is followed by an occurrence if no other entry prevents it.
  private func following(
    _ entries: [Instant], _ interval: Schedule.Interval, _ schedule: Schedule, _ index: Int
  ) -> [ReferenceHabit.Happening] {
    let length = Int64(interval.seconds) * 1_000
    var starts = Set(entries.map(\.milliseconds))
    if interval.anchor == .entryOrFrom { starts.insert(interval.from.milliseconds - length) }
    return starts.map { $0 + length }.filter { end in
      end >= interval.from.milliseconds && !starts.contains { $0 > end - length && $0 <= end }
    }.map { Self.instantOccurrence($0, clock, schedule, index) }
  }

  private static func instantOccurrence(
    _ milliseconds: Int64, _ clock: ReferenceClock, _ schedule: Schedule, _ index: Int
  ) -> ReferenceHabit.Happening {
    let fire = Instant(milliseconds: milliseconds)
    let minutes = milliseconds / 60_000
    let time = TimeOfDay(minute: Int(minutes % 1_440)) ?? .midnight
    return .init(
      schedule: index,
      identity: CivilDateTime(date: CivilDate(rawValue: Int32(minutes / 1_440)), time: time),
      number: 0, fire: fire, due: clock.due(clock.show(fire, clock.calendar(of: schedule))),
      isShifted: false)
  }

  private func elapsed(
    _ interval: Schedule.Interval, _ schedule: Schedule, _ index: Int
  ) -> [ReferenceHabit.Happening] {
    let step = Int64(interval.seconds) * 1_000
    let day: Int64 = 86_400_000
    let first = max(0, (now.milliseconds - 3 * day - interval.from.milliseconds) / step)
    let last = (now.milliseconds + Int64(days + 4) * day - interval.from.milliseconds) / step
    guard first <= last else { return [] }
    return (first...last).compactMap { count in
      let fire = Instant(milliseconds: interval.from.milliseconds + count * step)
      let shown = clock.show(fire, clock.calendar(of: schedule))
      if let window = interval.window {
        let (from, to, time) = (window.from, window.to, shown.time)
        guard from < to ? from <= time && time < to : time >= from || time < to else { return nil }
      }
      return Self.instantOccurrence(fire.milliseconds, clock, schedule, index)
    }
  }

  private func nominals(_ rule: Schedule.Rule, _ schedule: Schedule) -> [CivilDateTime] {
    let today = clock.show(now, clock.calendar(of: schedule)).date
    let first = today.adding(days: -8)
    if case .recurrence(let recurrence) = rule {
      var found: [CivilDateTime] = []
      for moment in recurrence.instances(from: CivilDateTime(date: first, time: .midnight)) {
        if moment.date > today.adding(days: days + 400) { break }
        found +=
          recurrence.isDateOnly
          ? schedule.times.map { CivilDateTime(date: moment.date, time: $0) } : [moment]
      }
      return found
    }
    return (first...today.adding(days: days + 20)).filter { isOn(rule, $0) }.flatMap { date in
      schedule.times.map { CivilDateTime(date: date, time: $0) }
    }
  }

  private func isOn(_ rule: Schedule.Rule, _ date: CivilDate) -> Bool {
    switch rule {
    case .once(let only): date == only
    case .weekly(let days): days.contains(date.weekday)
    case .everyDays(let count, let anchor):
      date >= anchor && (date.rawValue - anchor.rawValue) % Int32(count) == 0
    case .recurrence, .interval, .relative, .place, .unknown: false
    }
  }
}

/// The repeating triggers for a schedule that nothing suppresses.
struct ReferenceShape {
  private enum Period { case daily, weekly, monthly, yearly, every(Int) }

  private let period: Period

  var isInterval: Bool {
    if case .every = period { true } else { false }
  }

  init?(_ schedule: Schedule, _ habit: Habit, _ clock: ReferenceClock, now: Instant) {
    let shown = clock.show(now, clock.calendar(of: schedule))
    guard schedule.unless == .none, schedule.doneWithinSeconds == nil,
      schedule.stopAfterDays ?? 0 == 0,
      habit.end == nil, habit.start.map({ $0 <= clock.due(shown) }) ?? true
    else { return nil }
    switch schedule.rule {
    case .weekly(let days): period = days.count == 7 ? .daily : .weekly
    case .everyDays(1, let anchor) where anchor <= shown.date: period = .daily
    case .interval(let interval)
    where interval.window == nil && interval.anchor == nil && interval.from <= now:
      period = .every(interval.seconds)
    case .recurrence(let recurrence):
      guard let found = Self.period(of: recurrence), recurrence.start.date <= shown.date else {
        return nil
      }
      period = found
    default: return nil
    }
  }

  private static func period(of recurrence: Recurrence) -> Period? {
    guard let rule = recurrence.onlyRule, rule.interval == 1, rule.end == .never else { return nil }
    let (_, month, day) = recurrence.start.date.components
    let days = rule.monthDays.isEmpty ? [day] : rule.monthDays
    switch rule.frequency {
    case .minutely, .hourly, .daily: return rule.days.isEmpty ? .daily : .weekly
    case .weekly: return .weekly
    case .monthly:
      return rule.days.isEmpty && days.allSatisfy { $0 > 0 && $0 <= 28 } ? .monthly : nil
    case .yearly: return (month, day) == (2, 29) ? nil : .yearly
    }
  }

  func trigger(_ nominal: CivilDateTime) -> String {
    let (_, month, day) = nominal.date.components
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return switch period {
    case .daily: "daily \(nominal.time)"
    case .weekly: "weekly \(nominal.date.weekday.rawValue) \(nominal.time)"
    case .monthly: "monthly \(day) \(nominal.time)"
    case .yearly: "yearly \(two(month))-\(two(day)) \(nominal.time)"
    case .every(let seconds): "every \(seconds)"
    }
  }
}
