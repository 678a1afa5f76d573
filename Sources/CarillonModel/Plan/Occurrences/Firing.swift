/// One occurrence as it fires, with its revision, after snoozes and quiet hours.
struct Firing {
  let schedule: SchedulePlan
  let occurrence: Occurrence
  /// The revision in force.
  let revision: OccurrenceID.Revision
  /// The instant after snoozes, and after quiet hours once ``deferred(to:)`` has set it.
  let fireAt: Instant
  /// Whether quiet hours remove the sound and light.
  var isPassive = false
  /// Whether the occurrence was snoozed.
  ///
  /// A snoozed occurrence fires at a fixed instant, whatever the clocks show.
  var isSnoozed = false
  /// Whether quiet hours deferred the occurrence.
  ///
  /// A deferred occurrence fires when the clocks show the end of quiet hours.
  var isDeferred = false

  /// The civil date and time of the occurrence.
  ///
  /// For an interval, as the clock in the schedule's zone shows it.
  var localNominal: CivilDateTime {
    guard schedule.timetable.isNamedInUTC else { return occurrence.identity }
    return CivilDateTime(
      civilSeconds: schedule.timetable.range.civilSeconds(at: occurrence.instant))
  }

  /// The occurrence as receipts record it.
  var occurrenceID: OccurrenceID {
    schedule.suppression.id(of: occurrence, in: revision)
  }

  /// The ID that the occurrence's own request has.
  var id: RequestID {
    schedule.requestID(of: occurrence, nil)
  }

  /// Returns the same occurrence, firing at another instant because of quiet hours.
  func deferred(to instant: Instant) -> Firing {
    Firing(
      schedule: schedule, occurrence: occurrence, revision: revision, fireAt: instant,
      isDeferred: true)
  }

  /// Whether this firing sorts before another one by instant and ID.
  ///
  /// Computes the ID, which costs a hash, only if the instants are equal.
  func precedes(_ other: Firing) -> Bool {
    fireAt == other.fireAt ? id < other.id : fireAt < other.fireAt
  }

  /// Whether both are the same occurrence.
  func isSame(as other: Firing) -> Bool {
    schedule === other.schedule && occurrence == other.occurrence
  }
}

extension Firing {
  /// Creates the firing of an occurrence that nothing moves.
  init(_ occurrence: Occurrence, of schedule: SchedulePlan, isPassive: Bool = false) {
    self.init(
      schedule: schedule, occurrence: occurrence, revision: occurrence.revision,
      fireAt: occurrence.instant, isPassive: isPassive)
  }
}
