extension Planner {
  /// The requests that fit the capacity, and a summary of those that do not.
  struct Queue {
    var requests: [NotificationRequest]
    /// The instant at which the first request fires that did not fit.
    var nextFire: Instant?
    /// The number of requests that did not fit, at most 1,000.
    var dropped: Int
  }

  /// Takes the soonest requests, followed by the places.
  ///
  /// If the store's settings ask for it and some requests do not fit, the last place in the queue
  /// goes to a request to open the app. That request fires when the first notification would be
  /// missed.
  func queue(
    from merge: inout DigestMerge, _ places: [NotificationRequest],
    _ covered: (Firing) -> [OccurrenceID]
  ) -> Queue {
    var taken: [Candidate] = []
    while taken.count < settings.capacity, let candidate = merge.next() { taken.append(candidate) }
    var nextFire = merge.nextFire
    var dropped = merge.countRest(upTo: 1_000)
    var opening: NotificationRequest?
    if settings.store.asksToOpen, nextFire != nil, taken.count > 1, let first = taken.popLast() {
      nextFire = first.fireAt
      dropped = min(1_000, dropped + 1)
      opening = NotificationRequest(
        opening: device, at: min(first.fireAt, horizonEnd), before: first, on: calendar)
    }
    var requests = taken.map { request($0, covered) }
    if let opening {
      let index = requests.firstIndex {
        ($0.fireAt ?? now, $0.id) > (opening.fireAt ?? now, opening.id)
      }
      requests.insert(opening, at: index ?? requests.endIndex)
    }
    let room = settings.capacity - requests.count
    requests += places.prefix(room)
    return Queue(
      requests: requests, nextFire: nextFire,
      dropped: min(1_000, dropped + places.dropFirst(room).count))
  }

  private func request(
    _ candidate: Candidate, _ covered: (Firing) -> [OccurrenceID]
  ) -> NotificationRequest {
    let own = covered(candidate.firing)
    guard let digest = candidate.digest else {
      return NotificationRequest(candidate, covering: own, on: calendar)
    }
    let others = digest.members.dropFirst().flatMap { member in
      [member.firing.name] + covered(member.firing)
    }
    return NotificationRequest(candidate, covering: own + others, on: calendar)
  }
}
