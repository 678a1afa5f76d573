/// Finds the times that the system could repeat and that a digest combines with others.
///
/// A repeating request cannot be left out on a single date. So a time of which a digest would hold
/// any occurrence in the horizon is planned as requests for single occurrences. An interval that
/// the system repeats stays one request, because it has too many occurrences.
struct DigestSearch {
  /// One request for a single occurrence, as if the system repeated no times of day.
  private struct Moment {
    let fireAt: Instant
    /// The time that the system could repeat, or nil if it could not repeat this one.
    var repeated: (schedule: Int, time: TimeOfDay)?
  }

  private let rule: DigestRule
  private let frame: PlanFrame

  init(_ rule: DigestRule, _ frame: PlanFrame) {
    self.rule = rule
    self.frame = frame
  }

  /// Plans the times that digests combine as requests for single occurrences.
  ///
  /// - Complexity: O(n log n) in the occurrences within the horizon of the groups that have a
  ///   repeating time.
  func withdrawRepeats(of schedules: [SchedulePlan], moving: [HabitPlan]) {
    var found = Set<String>()
    for schedule in schedules where !schedule.repeatedTimes.isEmpty { found.insert(schedule.group) }
    var groups: [String: [Moment]] = [:]
    for (index, schedule) in schedules.enumerated() where found.contains(schedule.group) {
      groups[schedule.group, default: []] += moments(of: schedule, index)
    }
    for habit in moving where found.contains(habit.facts.habit.group ?? "") {
      groups[habit.facts.habit.group ?? "", default: []] += deferred(of: habit)
    }
    var gathered: [Int: Set<TimeOfDay>] = [:]
    for moments in groups.values {
      for (schedule, time) in repeatedMembers(of: moments) {
        gathered[schedule, default: []].insert(time)
      }
    }
    for (schedule, times) in gathered { schedules[schedule].withdraw(times) }
  }

  private func moments(of schedule: SchedulePlan, _ index: Int) -> [Moment] {
    var found: [Moment] = []
    let times = schedule.repeatedTimes
    var next = times.isEmpty ? nil : schedule.firstAhead
    while let occurrence = next, occurrence.instant < frame.end {
      let time = occurrence.identity.time
      if times.contains(time) {
        found.append(Moment(fireAt: occurrence.instant, repeated: (index, time)))
      }
      next = schedule.timetable.next(after: occurrence)
    }
    if case .all = schedule.repeats { return found }
    var count = 0
    var single = schedule.next(after: nil, count: 0)
    while let occurrence = single {
      found.append(Moment(fireAt: occurrence.instant))
      count += 1
      single = schedule.next(after: occurrence, count: count)
    }
    return found
  }

  /// Returns the ends of quiet hours at which only deferred occurrences of a habit fire.
  private func deferred(of habit: HabitPlan) -> [Moment] {
    guard habit.mayDefer else { return [] }
    return frame.quietEnds.compactMap { end in
      guard habit.coincident(at: end) == nil, let last = habit.batch(at: end).last, !last.isSnoozed
      else { return nil }
      return Moment(fireAt: end)
    }
  }

  /// Returns the times that the system could repeat among the members of a group's digests.
  private func repeatedMembers(of moments: [Moment]) -> [(schedule: Int, time: TimeOfDay)] {
    let moments = moments.sorted { $0.fireAt < $1.fireAt }
    var found: [(schedule: Int, time: TimeOfDay)] = []
    var (first, last) = (0, 0)
    while first < moments.count {
      let end = moments[first].fireAt.adding(seconds: rule.seconds)
      while last < moments.count, moments[last].fireAt < end { last += 1 }
      guard last - first > rule.count else {
        first += 1
        continue
      }
      found += moments[first..<last].compactMap(\.repeated)
      first = last
    }
    return found
  }
}

extension SchedulePlan {
  /// The habit's group, or the empty text for habits without a group, which form one group.
  fileprivate var group: String { facts.habit.group ?? "" }
}
