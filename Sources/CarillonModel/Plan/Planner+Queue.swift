extension Planner {
  /// The requests that are taken, with what was not.
  struct Queue {
    var requests: [Request]
    /// When the first fires that was not taken.
    var nextFire: Instant?
    /// How many were not taken, up to 1,000.
    var dropped: Int
  }

  /// Takes the soonest requests, places behind them.
  ///
  /// Where the store asks for it and some find no place, the last place goes to a request to open
  /// the app, at the moment from which reminders are missing.
  func queue(
    from merge: inout DigestMerge, _ places: [Request], _ covered: (Firing) -> [OccurrenceID]
  ) -> Queue {
    var taken: [Candidate] = []
    while taken.count < settings.capacity, let candidate = merge.next() { taken.append(candidate) }
    var nextFire = merge.nextFire
    var dropped = merge.countRest(upTo: 1_000)
    var opening: Request?
    if settings.store.asksToOpen, nextFire != nil, taken.count > 1, let first = taken.popLast() {
      nextFire = first.fireAt
      dropped = min(1_000, dropped + 1)
      opening = Request(
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
  ) -> Request {
    let own = covered(candidate.firing)
    guard let digest = candidate.digest else {
      return Request(candidate, covering: own, on: calendar)
    }
    let others = digest.members.dropFirst().flatMap { member in
      [member.firing.name] + covered(member.firing)
    }
    return Request(candidate, covering: own + others, on: calendar)
  }
}
