import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

extension Schedule {
  /// Returns warnings about settings of a schedule that are valid but probably not intended.
  func warnings(of habit: Habit, _ frame: ScheduleFrame) -> [String] {
    var texts: [String] = []
    if times.isEmpty, !rule.hasOwnTimes {
      texts.append(
        rule.onceDate.map {
          "--once has the date \($0) and no time, so nothing fires; add one with --at 18:00"
        } ?? "without --at there are no reminders")
    }
    if let date = rule.onceDate {
      let zone = zone(of: rule, frame)
      texts += times.compactMap { time in
        ResolvedMoment(CivilDateTime(date: date, time: time), in: zone).warning(for: "--once")
      }
    }
    if unless.contains(.quota), quota == nil, habit.goal == nil {
      texts.append("without --quota or --goal, --unless quota means the same as --unless done")
    }
    if let text = quota?.warning(of: habit) { texts.append(text) }
    if let text = rule.warning(times, frame.moment(in: zone(of: rule, frame))) {
      texts.append(text)
    }
    if case .recurrence(let recurrence) = rule { texts += recurrence.uselessExceptions }
    if case .interval(let interval) = rule,
      let text = interval.clockWarning(LocalTime(zone: zone(of: rule, frame), now: frame.now))
    {
      texts.append(text)
    }
    return texts
  }

  /// The time zone of a rule.
  private func zone(of rule: Schedule.Rule, _ frame: ScheduleFrame) -> TimeZone {
    var name: String? = if case .fixed(let fixed) = zone { fixed } else { nil }
    if case .recurrence(let recurrence) = rule { name = name ?? recurrence.zone }
    return name.flatMap(TimeZone.init(identifier:)) ?? frame.zone
  }
}

extension ScheduleFrame {
  /// The current civil time in a zone.
  fileprivate func moment(in zone: TimeZone) -> CivilDateTime {
    CivilCalendar(zone: zone).dateTime(at: now)
  }
}

extension Schedule.Interval {
  /// Returns when the clocks move the times of an interval that fires at the same times each day;
  /// nil if they do not within a year.
  fileprivate func clockWarning(_ time: LocalTime) -> String? {
    let isDaily = 86_400.isMultiple(of: seconds) && !3_600.isMultiple(of: seconds)
    guard window != nil, anchor == nil, isDaily,
      let change = time.zone.nextDaylightSavingTimeTransition(after: Date(time.now))
        .map(Instant.init), change.milliseconds - time.now.milliseconds < 366 * 86_400_000
    else { return nil }
    return "an interval counts elapsed time, so it fires at other times of day from "
      + "\(time.text(time.date(of: change))), when the clocks change; times of --at stay"
  }
}

extension Quota {
  /// Why the quota does not work as it reads, or nil.
  fileprivate func warning(of habit: Habit) -> String? {
    if period == .day {
      guard count > 1, habit.target == nil else { return nil }
      return "--quota \(self): without a target, one entry meets the quota for the day; give "
        + "--target \(count)"
    }
    return count > period.length
      ? "--quota \(self) is never met: it counts dates that are done, at most \(period.length)"
      : nil
  }
}

extension Schedule.Rule {
  /// Why the rule will not fire, or nil.
  fileprivate func warning(_ times: [TimeOfDay], _ now: CivilDateTime) -> String? {
    switch self {
    case .once(let date):
      let last = CivilDateTime(date: date, time: times.last ?? "23:59")
      return last <= now
        ? "\(times.isEmpty ? date.description : last.description) is past; it will not fire" : nil
    case .recurrence(let recurrence):
      if recurrence.isTooSparse(from: now) {
        return "ruleTooSparse: the rule has no date in 10,000 periods; it will not fire"
      }
      let from = recurrence.isDateOnly ? CivilDateTime(date: now.date, time: .midnight) : now
      var coming = recurrence.instances(from: from)
      return coming.next() == nil ? "all dates of the rule are past; it will not fire" : nil
    case .relative, .weekly, .everyDays, .interval, .place, .unknown: return nil
    }
  }
}

extension Recurrence {
  /// A warning for each EXDATE that excludes none of the rule's dates.
  fileprivate var uselessExceptions: [String] {
    guard !exceptions.isEmpty, let whole = withoutExceptions else { return [] }
    return exceptions.prefix(Self.maxLooked).compactMap { exception in
      var rest = whole.instances(from: exception.dateTime)
      let next = rest.next()
      let isMet =
        switch exception {
        case .date(let date): next?.date == date
        case .dateTime(let moment): next == moment
        }
      return isMet
        ? nil : "EXDATE \(exception.words) is not one of the rule's dates; it has no effect"
    }
  }

  /// The most EXDATEs to check, since each check may count the periods of a rule from its start.
  private static let maxLooked = 32

  private var withoutExceptions: Recurrence? {
    let kept = description.split(separator: "\n").filter { !$0.hasPrefix("EXDATE") }
    return Recurrence(kept.joined(separator: "\n"))
  }
}

extension JSON {
  /// Returns the object with a member `warnings`, if there are any.
  func merging(warnings: [String]) -> JSON {
    warnings.isEmpty ? self : merging(["warnings": .array(warnings) { .text($0) }])
  }
}

extension Output {
  /// Prints each warning.
  func warn(_ texts: [String]) {
    for text in texts { warn(text) }
  }
}
