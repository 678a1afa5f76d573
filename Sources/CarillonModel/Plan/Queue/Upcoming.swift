/// One request of a plan before its ID is computed.
struct Upcoming {
  /// What tells one request of a plan from the others, without computing its ID.
  struct Key: Hashable {
    private let schedule: ObjectIdentifier
    private let occurrence: Occurrence

    init(_ firing: Firing) {
      schedule = ObjectIdentifier(firing.schedule)
      occurrence = firing.occurrence
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(schedule)
      hasher.combine(occurrence.instant)
    }
  }

  /// The occurrence that names the request.
  let firing: Firing
  /// The trigger of a repeating request, or nil if the request is for a single occurrence.
  var trigger: RequestTrigger.Shape?

  var fireAt: Instant { firing.fireAt }
  var key: Key { Key(firing) }
  /// The request's ID, which costs a hash.
  var id: RequestID { firing.schedule.requestID(of: firing.occurrence, trigger) }
}

extension Upcoming {
  /// Whether this request sorts before another one by instant and ID.
  ///
  /// Computes the IDs only if the instants are equal.
  func precedes(_ other: Upcoming) -> Bool {
    fireAt == other.fireAt ? id < other.id : fireAt < other.fireAt
  }
}

extension SchedulePlan {
  /// Returns the request that an occurrence names, if nothing moves the occurrence.
  func upcoming(_ occurrence: Occurrence) -> Upcoming {
    let isPassive = quietEffect(occurrence) == .passive
    return Upcoming(
      firing: Firing(occurrence, of: self, isPassive: isPassive),
      trigger: isRepeated(occurrence) ? trigger(occurrence) : nil)
  }

  /// Whether an occurrence names a request: its own, or a repeating one that fires next at it.
  func namesRequest(_ occurrence: Occurrence) -> Bool {
    switch repeats {
    case .none: return true
    case .all(let count):
      var next: Occurrence?
      for number in 0..<count {
        next = self.next(after: next, count: number)
        if next == occurrence { return true }
      }
      return false
    case .some(let chosen):
      return !isRepeated(occurrence) || chosen.next.contains(occurrence)
    }
  }

  /// Whether a repeating request fires at an occurrence.
  private func isRepeated(_ occurrence: Occurrence) -> Bool {
    switch repeats {
    case .none: false
    case .all: true
    case .some(let chosen): chosen.areAll || chosen.times.contains(occurrence.identity.time)
    }
  }
}

extension HabitPlan {
  /// Returns the request that fires at the end of quiet hours for the occurrences deferred to it,
  /// or nil if there is none, or if it is a repeating request that fires sooner as well.
  func upcoming(representing batch: DeferralBatch, at until: Instant) -> Upcoming? {
    guard let coincident = batch.coincident else {
      return batch.last.map { Upcoming(firing: $0.deferred(to: until)) }
    }
    if coincident.isSnoozed {
      return snoozedFirings.first { $0.isSame(as: coincident) }.map { Upcoming(firing: $0) }
    }
    guard coincident.schedule.namesRequest(coincident.occurrence) else { return nil }
    return coincident.schedule.upcoming(coincident.occurrence)
  }

  /// The requests that fire for snoozed occurrences in the horizon.
  var snoozeRequests: [Upcoming] {
    let deferred = snoozes.compactMap { snooze -> Upcoming? in
      guard snooze.reason == nil, case .deferred(let until) = snooze.quietEffect,
        until > frame.now, until < frame.end
      else { return nil }
      return upcoming(representing: batch(at: until), at: until)
    }
    return snoozedFirings.map { Upcoming(firing: $0) } + deferred
  }

  /// The requests at ends of quiet hours that are named by an occurrence of a schedule with one
  /// date.
  var deferredOnce: [Upcoming] {
    guard mayDefer, schedules.contains(where: \.isOnce) else { return [] }
    return frame.quietEnds.compactMap { end in
      let batch = batch(at: end)
      guard batch.coincident == nil, let last = batch.last, last.schedule.isOnce else { return nil }
      return Upcoming(firing: last.deferred(to: end))
    }
  }

  /// Returns the first request at an end of quiet hours that represents an occurrence of a schedule
  /// and does not fire after another request, or nil if there is none.
  func firstDeferred(of schedule: SchedulePlan, before first: Upcoming?) -> Upcoming? {
    guard mayDefer, schedule.quietPolicy == .deferred else { return nil }
    for end in frame.quietEnds {
      if let first, first.fireAt < end { return nil }
      let batch = batch(at: end)
      let isMember = batch.members.contains { $0.schedule === schedule && !$0.isSnoozed }
      if isMember, let request = upcoming(representing: batch, at: end) { return request }
    }
    return nil
  }
}
