@testable import CarillonModel

extension FuzzTarget {
  static let recurrences = FuzzTarget(
    name: "recurrence", maxByteCount: 1_024, seeds: Recurrences.seeds, run: Recurrences.read)
}

/// Recurrence rules of calendars, and their instances.
private enum Recurrences {
  /// A rule has one written form, and its instances do not depend on where the expansion starts.
  static func read(_ bytes: UnsafeRawBufferPointer) {
    guard let text = String(validating: bytes, as: UTF8.self),
      let recurrence = try? Recurrence(parsing: text, start: .date("2026-01-05"))
    else { return }
    let written = recurrence.description
    let again = Recurrence(written)
    hold(again == recurrence, "\(text) reads back equal: \(written)")
    hold(again?.description == written, "\(written) has one written form")
    hold(recurrence.times.count <= 1_440 + Recurrence.maxDateCount, "times are within one day")
    hold(recurrence.repeatShape == nil || !recurrence.hasEnd, "a repeating shape has no end")
    let expansion = RecurrenceExpansion(of: recurrence)
    let first = CivilDateTime(date: recurrence.firstDate, time: .midnight)
    for from in [first, CivilDateTime(date: "2026-06-15", time: "12:00")] {
      look(at: recurrence, expansion, from: from)
    }
  }

  private static func look(
    at recurrence: Recurrence, _ expansion: RecurrenceExpansion, from: CivilDateTime
  ) {
    var earlier: CivilDateTime?
    for instance in recurrence.instances(from: from).prefix(20) {
      hold(instance >= from && earlier.map { $0 < instance } ?? true, "instances ascend")
      hold(Recurrence.accepted.contains(instance.date), "\(instance) is in range")
      hold(!recurrence.isDateOnly || instance.time == .midnight, "a date has no time")
      hold(expansion.contains(instance), "the expansion contains \(instance)")
      if let earlier {
        let next = CivilDateTime(civilMinutes: earlier.civilMinutes + 1)
        hold(
          expansion.first(onOrAfter: next) == instance,
          "\(instance) is the next instance after the earlier one")
      }
      earlier = instance
    }
    if earlier != nil {
      hold(!expansion.isTooSparse(from: from), "a recurrence with instances is not too sparse")
    }
  }

  static func seeds() throws -> [[UInt8]] {
    try Vectors.list("recurrences", in: "recurrences.json").prefix(100)
      .compactMap { $0.text("text").map { Array($0.utf8) } }
      + Vectors.texts([
        "FREQ=YEARLY;BYMONTH=1;BYDAY=-1MO,TU;BYSETPOS=-1;WKST=SU",
        "dtstart;tzid=\"Europe/Berlin\":20260105T073000\r\nrrule:freq=dai\r\n ly\r\n",
        "DTSTART:20260105T073000Z\nRRULE:FREQ=DAILY;UNTIL=99991231T235959Z",
        "DTSTART:20260105T073000\nRRULE:FREQ=MINUTELY;INTERVAL=45;BYYEARDAY=9\nEXRULE:FREQ=HOURLY",
        "FREQ=YEARLY;BYWEEKNO=1,-1;BYDAY=SU,MO;WKST=WE\nRRULE:FREQ=YEARLY;BYMONTHDAY=31",
      ])
  }
}
