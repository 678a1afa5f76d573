/// The next request of every schedule that has one.
///
/// Only the instants are computed at once, because few of the requests get a place in the queue.
struct NextRequests {
  /// The instants at which the requests fire.
  private(set) var instants: [Instant] = []
  /// The number of IDs that were computed to decide between requests of the same instant.
  private(set) var computedCount = 0
  private let merge: RequestMerge
  /// The index of the first plan of each request's schedule, and the number of its plans.
  private var plans: [(first: Int, count: Int)] = []
  /// The habits whose occurrences quiet hours may defer, by their schedules.
  private var deferring: [ObjectIdentifier: HabitPlan] = [:]

  /// - Parameter merge: The requests of all habits, from which nothing was removed.
  init(of merge: RequestMerge) {
    self.merge = merge
    for habit in merge.habits where habit.mayDefer {
      for schedule in habit.schedules { deferring[ObjectIdentifier(schedule)] = habit }
    }
    let schedules = merge.schedules
    instants.reserveCapacity(schedules.count)
    plans.reserveCapacity(schedules.count)
    var first = 0
    for index in 0..<schedules.count {
      let next = index + 1
      if next < schedules.made.count, schedules[index].isOfSameSchedule(as: schedules[next]) {
        continue
      }
      if let instant = instant(of: first..<next) {
        instants.append(instant)
        plans.append((first, next - first))
      }
      first = next
    }
  }

  /// Returns the request that fires at one of the instants.
  mutating func request(_ index: Int) -> Upcoming {
    let (first, count) = plans[index]
    guard let request = request(of: first..<first + count) else {
      preconditionFailure("a schedule with an instant has a request")
    }
    return request
  }

  /// Returns the ID of the request that fires at one of the instants.
  mutating func id(_ index: Int) -> RequestID {
    merge.schedules.firstID(of: plans[index].first) ?? request(index).id
  }

  /// Returns the instant of the next request of a schedule, which has one or several plans.
  private mutating func instant(of plans: Range<Int>) -> Instant? {
    guard deferring.isEmpty else { return request(of: plans)?.fireAt }
    var soonest: Instant?
    for index in plans {
      if let next = merge.firstOccurrence(of: index)?.instant {
        soonest = min(soonest ?? next, next)
      }
      if let next = merge.schedules.chosenRepeats(of: index)?.next.first?.instant {
        soonest = min(soonest ?? next, next)
      }
    }
    return soonest
  }

  private mutating func request(of plans: Range<Int>) -> Upcoming? {
    var soonest: Upcoming?
    for index in plans {
      let schedule = merge.schedules[index]
      var first: Upcoming?
      consider(merge.firstOccurrence(of: index).map(schedule.upcoming), &first)
      let repeated = merge.schedules.chosenRepeats(of: index)?.next.first
      consider(repeated.map(schedule.upcoming), &first)
      let habit = deferring[ObjectIdentifier(schedule)]
      consider(habit?.firstDeferred(of: schedule, before: first), &first)
      consider(first, &soonest)
    }
    return soonest
  }

  /// Replaces a request with another one that sorts before it.
  private mutating func consider(_ other: Upcoming?, _ first: inout Upcoming?) {
    guard let other else { return }
    guard let known = first else {
      first = other
      return
    }
    if known.fireAt == other.fireAt { computedCount += 2 }
    if other.precedes(known) { first = other }
  }
}

extension SchedulePlan {
  /// Whether two plans are repeats of one relative schedule.
  fileprivate func isOfSameSchedule(as other: SchedulePlan) -> Bool {
    facts === other.facts && index == other.index
  }
}
