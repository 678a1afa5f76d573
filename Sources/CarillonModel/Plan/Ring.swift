/// One occurrence as it rings: with its revision, and moved where something moves it.
struct Ring {
  let slot: SlotPlan
  let occurrence: Occurrence
  /// The revision in force: of a snoozed one the milliseconds until which it is snoozed.
  let revision: String
  /// After snoozes and, where it is final, quiet hours.
  let fireAt: Instant
  /// Whether quiet hours leave it neither sound nor light.
  var isPassive = false
  /// Whether it was snoozed, so that it rings at an instant whatever the clocks show.
  var isSnoozed = false
  /// Whether quiet hours put it off, so that it rings when the clocks show their end.
  var isMoved = false

  /// The civil date and time of the occurrence; of an interval as the slot's clock shows it.
  var localNominal: CivilDateTime {
    guard slot.timetable.isInterval else { return occurrence.identity }
    return CivilDateTime(
      civilSeconds: slot.timetable.span.civilSeconds(at: occurrence.instant))
  }

  /// The name by which receipts know it.
  var name: OccurrenceName {
    OccurrenceName(
      habit: slot.facts.habit.id, slot: slot.silence.slot, nominal: occurrence.identity,
      revision: revision)
  }

  /// The id of a request of its own.
  var id: RequestID {
    RequestID(
      habit: slot.facts.habit.id, slot: slot.silence.slot, nominal: occurrence.identity,
      number: occurrence.number)
  }

  /// The same, ringing at another instant.
  func moved(to instant: Instant) -> Ring {
    Ring(
      slot: slot, occurrence: occurrence, revision: revision, fireAt: instant,
      isMoved: true)
  }

  /// Whether it comes before another one by (fire, id); ids cost a hash, and few are asked for.
  func precedes(_ other: Ring) -> Bool {
    fireAt == other.fireAt ? id < other.id : fireAt < other.fireAt
  }

  /// Whether it is the same occurrence.
  func isSame(as other: Ring) -> Bool {
    slot === other.slot && occurrence == other.occurrence
  }
}

extension Ring {
  /// An occurrence that nothing moves.
  init(_ occurrence: Occurrence, of slot: SlotPlan, isPassive: Bool = false) {
    self.init(
      slot: slot, occurrence: occurrence, revision: occurrence.revision,
      fireAt: occurrence.instant, isPassive: isPassive)
  }
}
