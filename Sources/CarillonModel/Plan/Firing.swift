/// One occurrence as it fires: with its revision, and moved where something moves it.
struct Firing {
  let schedule: SchedulePlan
  let occurrence: Occurrence
  /// The revision in force: of a snoozed one the milliseconds until which it is snoozed.
  let revision: String
  /// After snoozes and, where it is final, quiet hours.
  let fireAt: Instant
  /// Whether quiet hours leave it neither sound nor light.
  var isPassive = false
  /// Whether it was snoozed, so that it fires at an instant whatever the clocks show.
  var isSnoozed = false
  /// Whether quiet hours put it off, so that it fires when the clocks show their end.
  var isMoved = false

  /// The civil date and time of the occurrence; of an interval as the schedule's clock shows it.
  var localNominal: CivilDateTime {
    guard schedule.timetable.isInterval else { return occurrence.identity }
    return CivilDateTime(
      civilSeconds: schedule.timetable.range.civilSeconds(at: occurrence.instant))
  }

  /// The name by which receipts know it.
  var name: OccurrenceID {
    OccurrenceID(
      habit: schedule.facts.habit.id, schedule: schedule.suppression.schedule,
      nominal: occurrence.identity,
      revision: revision)
  }

  /// The id of a request of its own.
  var id: RequestID {
    RequestID(
      habit: schedule.facts.habit.id, schedule: schedule.suppression.schedule,
      nominal: occurrence.identity,
      number: occurrence.number)
  }

  /// The same, firing at another instant.
  func moved(to instant: Instant) -> Firing {
    Firing(
      schedule: schedule, occurrence: occurrence, revision: revision, fireAt: instant,
      isMoved: true)
  }

  /// Whether it comes before another one by (fire, id); ids cost a hash, and few are asked for.
  func precedes(_ other: Firing) -> Bool {
    fireAt == other.fireAt ? id < other.id : fireAt < other.fireAt
  }

  /// Whether it is the same occurrence.
  func isSame(as other: Firing) -> Bool {
    schedule === other.schedule && occurrence == other.occurrence
  }
}

extension Firing {
  /// An occurrence that nothing moves.
  init(_ occurrence: Occurrence, of schedule: SchedulePlan, isPassive: Bool = false) {
    self.init(
      schedule: schedule, occurrence: occurrence, revision: occurrence.revision,
      fireAt: occurrence.instant, isPassive: isPassive)
  }
}
