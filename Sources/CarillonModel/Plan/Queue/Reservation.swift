/// The requests that have a place in the queue before all others compete for the rest by time.
///
/// This is the order in which requests get a place:
/// 1. The requests that fire for snoozed occurrences, soonest first.
/// 2. Places, by ID, then the requests of schedules with one date, soonest first. Together with the
///    first class they take at most half of the capacity.
/// 3. The next request of every schedule, soonest first: the first one that represents an
///    occurrence of the schedule that is not snoozed; then the remaining places.
/// 4. All other requests by time.
struct Reservation {
  /// The requests of the first three classes that are not yet in the queue.
  private(set) var requests: [Upcoming.Key: Upcoming] = [:]
  /// The number of places that fit.
  private(set) var placeCount = 0
  /// The number of IDs that were computed to decide between requests of the same instant.
  private(set) var computedCount = 0

  /// - Parameters:
  ///   - merge: The requests of all habits, from which nothing was removed.
  ///   - capacity: The number of requests that the system can hold.
  ///   - room: The number of requests to choose, at most the capacity.
  ///   - places: The number of places that may fire.
  init(from merge: RequestMerge, capacity: Int, room: Int, places: Int) {
    add(merge.habits.flatMap(\.snoozeRequests), room)
    let half = min(max(capacity / 2, requests.count), room)
    placeCount = min(places, half - requests.count)
    add(
      merge.schedules.lazy.filter(\.isOnce).flatMap(\.singleRequests)
        + merge.habits.flatMap(\.deferredOnce), half - requests.count - placeCount)
    add(merge.nextRequests(&computedCount), room - requests.count - placeCount)
    placeCount = min(places, room - requests.count)
  }

  /// The number of places in the queue that are taken.
  var count: Int { requests.count + placeCount }

  /// Removes the requests that a candidate stands for.
  mutating func remove(_ candidate: Candidate) {
    for part in candidate.parts { requests[part.key] = nil }
  }

  /// Returns the number of remaining requests that a candidate stands for.
  func count(of candidate: Candidate) -> Int {
    candidate.parts.count { requests[$0.key] != nil }
  }

  /// Adds the soonest of some requests, at most `room`.
  private mutating func add(_ added: [Upcoming], _ room: Int) {
    guard room > 0 else { return }
    var new: [Upcoming.Key: Upcoming] = [:]
    var last: Instant?
    for index in added.indices.sorted(by: { added[$0].fireAt < added[$1].fireAt }) {
      let request = added[index]
      if new.count >= room, request.fireAt != last { break }
      guard requests[request.key] == nil, new[request.key] == nil else { continue }
      (new[request.key], last) = (request, request.fireAt)
    }
    for request in Array(new.values).soonest(room, computedCount: &computedCount) {
      requests[request.key] = request
    }
  }
}

extension SchedulePlan {
  /// All requests for a single occurrence at its own instant, soonest first.
  fileprivate var singleRequests: [Upcoming] {
    var found: [Upcoming] = []
    var next = self.next(after: nil, count: 0)
    while let occurrence = next {
      found.append(upcoming(occurrence))
      next = self.next(after: occurrence, count: found.count)
    }
    return found
  }
}

extension RequestMerge {
  /// Returns the next request of every schedule that has one.
  ///
  /// - Parameter computedCount: Increases by the number of IDs that were computed.
  fileprivate func nextRequests(_ computedCount: inout Int) -> [Upcoming] {
    var deferred: [ObjectIdentifier: HabitPlan] = [:]
    for habit in habits where habit.mayDefer {
      for schedule in habit.schedules { deferred[ObjectIdentifier(schedule)] = habit }
    }
    var found: [(schedule: SchedulePlan, request: Upcoming)] = []
    for index in schedules.indices {
      let schedule = schedules[index]
      var first: Upcoming?
      func consider(_ other: Upcoming?) {
        guard let other else { return }
        if first?.fireAt == other.fireAt { computedCount += 2 }
        if first.map({ other.precedes($0) }) ?? true { first = other }
      }
      consider(firstOccurrence(of: index).map(schedule.upcoming))
      if case .some(let chosen) = schedule.repeats {
        consider(chosen.next.first.map(schedule.upcoming))
      }
      consider(deferred[ObjectIdentifier(schedule)]?.firstDeferred(of: schedule, before: first))
      let isPart = found.last.map {
        $0.schedule.facts === schedule.facts && $0.schedule.index == schedule.index
      }
      if isPart ?? false { consider(found.removeLast().request) }
      if let first { found.append((schedule, first)) }
    }
    return found.map(\.request)
  }
}
