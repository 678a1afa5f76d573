/// The two instants between which requests are planned, as bounds of one zone.
///
/// A class, since all slots of the zone share it.
final class ZoneSpan {
  /// Its place among the zones of one planning, from 0.
  let index: Int
  let window: ZoneWindow
  /// Nominal times fire after now when ``ZoneWindow/firing(_:)`` is at or after it.
  let first: Int
  /// And before the horizon's end when it is less than this.
  let end: Int
  /// What the zone's calendar shows now.
  let date: CivilDate
  /// The logical date of now in the zone.
  let today: CivilDate
  /// The date on which ``first`` lies.
  let firingDate: CivilDate
  /// The first date of which an occurrence may fire after now.
  let firstDate: CivilDate
  /// The last date of which one may fire before the horizon's end.
  let lastDate: CivilDate

  /// How many days beyond the horizon are looked at: the next weekly repetition may be two weeks
  /// ahead, where the zone leaves out a date.
  static let daysAhead = 16

  init(
    index: Int, calendar: CivilCalendar, from now: Instant, to end: Instant, dayStart: TimeOfDay
  ) {
    self.index = index
    let day: Int64 = 86_400_000
    window = ZoneWindow(
      calendar: calendar, from: Instant(milliseconds: now.milliseconds - 2 * day),
      to: Instant(milliseconds: end.milliseconds + Int64(Self.daysAhead) * day))
    first = window.firingBound(at: Instant(milliseconds: now.milliseconds + 1))
    self.end = window.firingBound(at: end)
    date = calendar.dateTime(at: now).date
    today = calendar.logicalDate(at: now, dayStart: dayStart)
    firingDate = CivilDateTime(civilSeconds: first).date
    firstDate = window.mixedDates(around: firingDate)?.lowerBound ?? firingDate
    lastDate = CivilDateTime(civilSeconds: self.end).date
  }

  /// When a nominal time fires, in civil seconds; nil if that is not after now, or on a date that
  /// the zone leaves out.
  func futureFiring(of nominal: CivilDateTime) -> Int? {
    let seconds = nominal.civilSeconds
    let firing = window.firing(seconds)
    return firing >= first && firing - seconds < 86_400 ? firing : nil
  }

  /// Whether an occurrence after now is the first of its repeating request.
  func isNext(_ nominal: CivilDateTime, of dates: RuleDates) -> Bool {
    guard let period = dates.repeatPeriodDays else { return false }
    let earlier = CivilDateTime(date: nominal.date.adding(days: -period), time: nominal.time)
    if futureFiring(of: earlier) != nil { return false }
    // The one before may be on a date that the zone leaves out; then the one before that decides.
    guard window.leavesOutDates else { return true }
    let earliest = CivilDateTime(date: nominal.date.adding(days: -2 * period), time: nominal.time)
    return futureFiring(of: earliest) == nil
  }
}
