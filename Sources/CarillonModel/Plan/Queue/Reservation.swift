internal import HeapModule

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
      merge.schedules.made.lazy.filter(\.isOnce).flatMap(\.singleRequests)
        + merge.habits.flatMap(\.deferredOnce), half - requests.count - placeCount)
    var next = NextRequests(of: merge)
    add(
      next.instants, room - requests.count - placeCount, id: { next.id($0) },
      { next.request($0) })
    computedCount += next.computedCount
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
    add(added.map(\.fireAt), room, id: { added[$0].id }, { added[$0] })
  }

  /// Adds the soonest of some requests, at most `room`.
  ///
  /// - Parameters:
  ///   - instants: The instants at which the requests fire.
  ///   - id: Returns the ID of the request of an instant, by its index. Called only for requests
  ///     of the same instant that do not all fit.
  ///   - request: Returns the request of an instant, by its index.
  private mutating func add(
    _ instants: [Instant], _ room: Int, id: (Int) -> RequestID, _ request: (Int) -> Upcoming
  ) {
    let end = requests.count + room
    var waiting = Heap(instants.indices.lazy.map { Waiting(fireAt: instants[$0], index: $0) })
    while requests.count < end, let soonest = waiting.popMin() {
      var tied = [soonest.index]
      while let next = waiting.min, next.fireAt == soonest.fireAt {
        tied.append(waiting.removeMin().index)
      }
      if tied.count > end - requests.count {
        computedCount += tied.count
        let ids = tied.map(id)
        tied = tied.indices.sorted { ids[$0] < ids[$1] }.map { tied[$0] }
      }
      for index in tied where requests.count < end {
        let request = request(index)
        if requests[request.key] == nil { requests[request.key] = request }
      }
    }
  }

  /// A request that was not looked at yet.
  private struct Waiting: Comparable {
    let fireAt: Instant
    let index: Int

    static func < (left: Self, right: Self) -> Bool { left.fireAt < right.fireAt }
    static func == (left: Self, right: Self) -> Bool { left.fireAt == right.fireAt }
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
