/// A habit's slots in one planning, with what moves their occurrences: snoozes and quiet hours.
final class HabitPlan {
  let facts: HabitFacts
  /// One for each slot of times, and for each repeat of a relative slot.
  let slots: [SlotPlan]
  /// The snoozes in force.
  let snoozes: [SnoozeInForce]
  let frame: PlanFrame
  private var gatherings: [Instant: Gathering] = [:]

  /// Takes the slots of a habit, and tells them which of their occurrences are snoozed.
  init(_ facts: HabitFacts, slots: [SlotPlan], snoozes: [Snooze], frame: PlanFrame) {
    self.facts = facts
    self.slots = slots
    self.frame = frame
    self.snoozes = snoozes.compactMap { SnoozeInForce($0, of: slots) }
    for slot in slots {
      slot.complete(
        snoozed: self.snoozes.lazy.filter { $0.slot === slot }.map(\.occurrence))
    }
  }

  /// What snoozes put off to an instant in the horizon outside quiet hours, by (fire, id).
  private(set) lazy var moved: [Ring] = snoozes.compactMap { snooze -> Ring? in
    guard snooze.reason == nil else { return nil }
    switch snooze.quietEffect(frame) {
    case .none: return snooze.ring
    case .passive:
      var ring = snooze.ring
      ring.isPassive = true
      return ring
    case .dropped, .deferred: return nil
    }
  }.filter { $0.fireAt > frame.now && $0.fireAt < frame.end }
    .sorted { $0.precedes($1) }

  /// Whether anything of the habit may ring when quiet hours end, since they put it off.
  private(set) lazy var mayGather: Bool = {
    guard let hours = frame.hours else { return false }
    return !snoozes.isEmpty || slots.contains { $0.mayRing(in: hours) }
  }()

  /// What quiet hours put off to an instant, at which they end.
  func gathering(at until: Instant) -> Gathering {
    if let known = gatherings[until] { return known }
    let gathering = Gathering(of: self, at: until, frame)
    gatherings[until] = gathering
    return gathering
  }

  /// What rings anyway at an instant at which quiet hours end; of several the one of the least id.
  func stander(at until: Instant) -> Ring? {
    let after = Instant(milliseconds: until.milliseconds + 1)
    let rings =
      slots.flatMap { $0.rings(from: until, before: after) }
      + snoozes.lazy.filter { $0.reason == nil }.map(\.ring).filter { $0.fireAt == until }
    return rings.count > 1 ? rings.min { $0.id < $1.id } : rings.first
  }

  /// The occurrences for which a ring stands beside its own.
  func covered(by ring: Ring) -> [OccurrenceName] {
    guard mayGather, !frame.quietSpans(until: ring.fireAt).isEmpty else { return [] }
    let gathering = gathering(at: ring.fireAt)
    guard gathering.first?.isSame(as: ring) ?? false else { return [] }
    return gathering.members.filter { !$0.isSame(as: ring) }.map(\.name)
  }
}

/// What quiet hours put off to one instant, of one habit: at most one rings there.
struct Gathering {
  /// Those that were put off, in the order in which they would have rung.
  let members: [Ring]
  /// The one that rings at the instant anyway.
  let stander: Ring?

  /// The one that rings for all: what rings there anyway, else the one that was to ring last; of
  /// equals the one of the least id.
  var first: Ring? { stander ?? leader }

  /// The one that was to ring last.
  let leader: Ring?

  init(of habit: HabitPlan, at until: Instant, _ frame: PlanFrame) {
    var members: [Ring] = []
    let spans = frame.quietSpans(until: until)
    for slot in habit.slots {
      for span in spans where slot.quietPolicy == .deferred {
        members += slot.rings(from: span.start, before: span.end)
      }
    }
    for snooze in habit.snoozes where snooze.reason == nil {
      if snooze.quietEffect(frame) == .deferred(until) { members.append(snooze.ring) }
    }
    members.sort { $0.precedes($1) }
    self.members = members
    stander = habit.stander(at: until)
    let last = members.last?.fireAt
    leader = members.first { $0.fireAt == last }
  }
}

extension SlotPlan {
  /// Whether an occurrence may lie in quiet hours that put it off.
  fileprivate func mayRing(in hours: DayWindow) -> Bool {
    guard quietPolicy == .deferred else { return false }
    guard timetable.shiftSeconds == 0, slot.civilZone == .floating,
      timetable.span.window.changes.isEmpty
    else { return true }
    return switch timetable.pattern {
    case .nominals(let nominals): nominals.times.contains(where: hours.contains)
    case .interval: true
    }
  }

  /// The occurrences between two instants that nothing silences and no snooze moves.
  fileprivate func rings(from start: Instant, before end: Instant) -> [Ring] {
    var rings: [Ring] = []
    var next = timetable.first(from: start)
    while let occurrence = next, occurrence.instant < end {
      if !isSnoozed(occurrence), silence.reason(occurrence) == nil {
        rings.append(Ring(occurrence, of: self))
      }
      next = timetable.next(after: occurrence)
    }
    return rings
  }
}
