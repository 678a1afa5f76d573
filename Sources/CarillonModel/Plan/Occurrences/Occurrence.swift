/// One occurrence of a schedule, with the instant at which it fires unless something moves it.
struct Occurrence: Hashable {
  /// The civil date and time that identify the occurrence.
  ///
  /// For an interval, these are in UTC.
  let identity: CivilDateTime
  /// The number of the repeat in a relative schedule, otherwise 0.
  let number: Int
  /// The instant after the gap rule, before snoozes and quiet hours.
  let instant: Instant
  /// The date used to look up completions, skips and pauses.
  let due: CivilDate

  /// The revision under which the occurrence is delivered unless it is snoozed.
  var revision: OccurrenceID.Revision { number == 0 ? .first : .repeat(number) }

  /// Whether this occurrence sorts before another one of the same schedule: by instant, then by
  /// identity and number.
  func precedes(_ other: Occurrence) -> Bool {
    (instant, identity, number) < (other.instant, other.identity, other.number)
  }
}
