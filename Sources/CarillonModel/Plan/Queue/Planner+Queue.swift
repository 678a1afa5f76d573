extension Planner {
  /// The requests that fit the capacity, and a summary of those that do not.
  struct Queue {
    var requests: [NotificationRequest]
    /// The instant at which the first request fires that did not fit.
    var nextFire: Instant?
    /// The number of requests that did not fit, at most 1,000.
    var dropped: Int
    /// The schedules of the requests that did not fit.
    var leftOut: [LeftOutSchedule]
    /// The number of occurrences whose IDs were computed.
    var computedCount: Int
  }

  /// Chooses the requests that fit the capacity, in the order of ``Reservation``.
  ///
  /// If the store's settings ask for it and some requests do not fit, the last place in the queue
  /// goes to a request to open the app. That request fires when the first notification would be
  /// missed.
  ///
  /// - Parameter others: Returns the occurrences that a firing represents beside its own.
  func queue(
    from merge: DigestMerge, _ places: [(request: NotificationRequest, habit: Habit)],
    _ others: (Firing) -> [OccurrenceID]
  ) -> Queue {
    let places = places.sorted { $0.request.id < $1.request.id }
    var selection = select(from: merge, places.count, others)
    let opening =
      selection.capacity == settings.capacity
      ? nil
      : selection.next.map { first in
        NotificationRequest(
          opening: device, at: min(first.fireAt, horizonEnd), before: first, on: calendar)
      }
    var requests = selection.taken.map { request($0, others) }
    if let opening {
      let index = requests.firstIndex {
        ($0.fireAt ?? now, $0.id) > (opening.fireAt ?? now, opening.id)
      }
      requests.insert(opening, at: index ?? requests.endIndex)
    }
    let room = settings.capacity - requests.count
    requests += places.prefix(room).map(\.request)
    for place in places.dropFirst(room) { selection.leftOut.add(place.request) }
    return Queue(
      requests: requests, nextFire: selection.next?.fireAt,
      dropped: min(1_000, selection.dropped + places.dropFirst(room).count),
      leftOut: selection.leftOut.sorted(state.habits), computedCount: selection.computedCount)
  }

  /// Chooses the requests with an instant that fit beside some places, and beside the request to
  /// open the app if it is needed.
  private func select(
    from merge: DigestMerge, _ places: Int, _ others: (Firing) -> [OccurrenceID]
  ) -> Selection {
    let capacity = settings.capacity
    guard settings.store.asksToOpen, capacity > 1 else {
      return Selection(from: merge, self, capacity, places, others)
    }
    var selection = Selection(from: merge, self, capacity - 1, places, others)
    guard selection.next != nil else { return selection }
    if settings.store.digest == nil {
      if selection.dropped == 1 { selection.takeNext() }
      return selection
    }
    let all = Selection(from: merge, self, capacity, places, others)
    return all.next == nil ? all : selection
  }

  private func request(
    _ candidate: Candidate, _ others: (Firing) -> [OccurrenceID]
  ) -> NotificationRequest {
    let own = others(candidate.firing)
    guard let digest = candidate.digest else {
      return NotificationRequest(candidate, representing: own, on: calendar)
    }
    let members = digest.members.dropFirst().flatMap { member in
      [member.firing.occurrenceID] + others(member.firing)
    }
    return NotificationRequest(candidate, representing: own + members, on: calendar)
  }
}

/// The requests with an instant that fit a number of places.
private struct Selection {
  /// The requests that fit, sorted by instant and ID.
  var taken: [Candidate] = []
  /// The first request that does not fit.
  private(set) var next: Candidate?
  /// The number of requests that do not fit, at most 1,000.
  private(set) var dropped = 0
  var leftOut = LeftOutSchedules()
  /// The number of occurrences whose IDs were computed.
  private(set) var computedCount = 0
  /// The number of requests to choose.
  private(set) var capacity: Int

  /// - Parameters:
  ///   - merge: All requests with an instant.
  ///   - room: The number of requests to choose.
  ///   - places: The number of places that may fire.
  init(
    from merge: DigestMerge, _ planner: Planner, _ room: Int, _ places: Int,
    _ others: (Firing) -> [OccurrenceID]
  ) {
    capacity = room
    var merge = merge
    var reserved = Reservation(
      from: merge.merge, capacity: planner.settings.capacity, room: room, places: places)
    var used = reserved.count
    while let candidate = merge.next() {
      let held = reserved.count(of: candidate)
      guard used + 1 - held <= room else {
        next = candidate
        break
      }
      used += 1 - held
      reserved.remove(candidate)
      taken.append(candidate)
    }
    taken += reserved.requests.values.map(Candidate.init).sorted()
    computedCount =
      merge.merge.computedCount + reserved.computedCount + reserved.requests.count
    guard let next else { return }
    func visit(_ one: RequestMerge.Rest) -> Bool {
      switch one {
      case .plain(let schedule): leftOut.add(schedule)
      case .request(let request):
        guard reserved.requests[request.key] == nil else { return false }
        leftOut.add(request.firing, others(request.firing))
      }
      return true
    }
    for part in next.parts { _ = visit(.request(part)) }
    let rest =
      next.parts.count
      + merge.rest(upTo: 1_000 + reserved.requests.count, visit) { leftOut.isFull(before: $0) }
    dropped = min(1_000, rest - reserved.requests.count)
  }

  /// Takes the only request that does not fit as well.
  mutating func takeNext() {
    guard let next else { return }
    taken.insert(next, at: taken.firstIndex { next < $0 } ?? taken.endIndex)
    self.next = nil
    (dropped, capacity) = (0, capacity + 1)
    leftOut = LeftOutSchedules()
  }
}
