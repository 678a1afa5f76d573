import Carillon
import Foundation

/// Something that was held and fell due.
typealias DueEntry = (entry: ScheduleDocument.Entry, firedAt: Instant)

extension ScheduleDocument {
  /// The device is in a zone: what was given by its civil time keeps it, as a system keeps it.
  mutating func travel(to time: LocalTime) {
    guard let zone, zone.identifier != time.zone.identifier else { return }
    for (index, entry) in pending.enumerated() {
      guard let fireAt = entry.fireAt,
        let moved = entry.trigger?.moved(fireAt, from: zone, to: time.zone)
      else { continue }
      pending[index] = entry.firing(at: moved, time)
    }
    self.zone = time.zone
  }

  /// Takes out what fell due by a moment, in the order in which it fires.
  ///
  /// What repeats stays, and fires again later; of the times at which it fired the newest are told.
  mutating func takeDue(_ now: Instant, _ time: LocalTime) -> [DueEntry] {
    let fired = advance(to: now, time) ?? Instant(milliseconds: .min)
    var due: [DueEntry] = []
    var left: [Entry] = []
    for entry in pending {
      guard let fireAt = entry.fireAt, fireAt <= now else {
        left.append(entry)
        continue
      }
      guard let trigger = entry.trigger, trigger.repeats else {
        due.append((entry, fireAt))
        continue
      }
      let (fires, next) = trigger.fires(from: fireAt, through: now, in: time.zone)
      due += fires.map { (entry, $0) }
      if let next { left.append(entry.firing(at: next, time)) }
    }
    pending = left
    return due.filter { $0.firedAt > fired }.sorted {
      ($0.firedAt, $0.entry.id) < ($1.firedAt, $1.entry.id)
    }
  }

  /// Notes that the clock shows a moment.
  ///
  /// Where it was set back, either that is wrong or what it showed before was. The next look tells:
  /// where time goes on from here, the clock had been ahead; where it is as late as before, it was
  /// behind for a while.
  ///
  /// - Returns: Up to when all has fired already, where the clock was behind for a while.
  private mutating func advance(to now: Instant, _ time: LocalTime) -> Instant? {
    defer { asOf = now }
    guard let last = asOf else { return nil }
    guard now < last else {
      if now.milliseconds - last.milliseconds > 3_600_000 { leaptFrom = last }
      defer { setBackFrom = nil }
      return setBackFrom.flatMap { $0 <= now ? $0 : nil }
    }
    setBackFrom = max(setBackFrom ?? last, last)
    let since = lastLook(by: now) ?? now
    // What repeats fires next after the look before, however far the clock had been ahead.
    for (index, entry) in pending.enumerated() {
      guard let fireAt = entry.fireAt, let trigger = entry.trigger, trigger.repeats,
        let next = trigger.nextFire(after: since, in: time.zone, countedFrom: fireAt), next < fireAt
      else { continue }
      pending[index] = entry.firing(at: next, time)
    }
    return nil
  }

  /// When what is due was looked for last by a clock that was not ahead of now; nil where that is
  /// not known.
  func lastLook(by now: Instant) -> Instant? {
    [asOf, leaptFrom].compactMap(\.self).filter { $0 <= now }.max()
  }

  /// Shows notifications, each in place of the one of its id.
  mutating func show(_ entries: [DueEntry]) {
    for (entry, firedAt) in entries {
      delivered.removeAll { $0.id == entry.id }
      delivered.append(Shown(id: entry.id, title: entry.title, deliveredAt: firedAt))
    }
  }

  /// When something is due next.
  var nextFire: Instant? { pending.compactMap(\.fireAt).min() }
}

extension [DueEntry] {
  /// Of what fired more than once the last, which stands in place of those before.
  var latest: Self {
    let last = Dictionary(map { ($0.entry.id, $0.firedAt) }) { Swift.max($0, $1) }
    return filter { last[$0.entry.id] == $0.firedAt }
  }
}

extension RequestTrigger {
  /// When it fires in another zone, if it follows the device there; nil where nothing changes.
  fileprivate func moved(
    _ fireAt: Instant, from old: TimeZone, to new: TimeZone
  ) -> Instant? {
    guard zone == nil else { return nil }
    switch shape {
    case .every, .place: return nil
    case .at(let nominal, let second):
      return CivilCalendar(zone: new).instant(of: nominal).map {
        Instant(milliseconds: $0.milliseconds + Int64(second) * 1_000)
      }
    case .daily(let time), .weekly(_, let time), .monthly(_, let time), .yearly(_, _, let time):
      let date = CivilCalendar(zone: old).dateTime(at: fireAt).date
      return CivilCalendar(zone: new).instant(of: CivilDateTime(date: date, time: time))
    }
  }

  /// When it fired by a moment, of many times the newest, and when it fires next.
  fileprivate func fires(
    from first: Instant, through now: Instant, in zone: TimeZone
  ) -> (fires: [Instant], next: Instant?) {
    var fires: [Instant] = []
    var last = Instant(
      milliseconds: max(
        first.milliseconds - 1,
        now.milliseconds - Self.maxFireCount * longestPeriod * 1_000))
    while let next = nextFire(after: last, in: zone, countedFrom: first) {
      guard next <= now else { return (fires, next) }
      fires.append(next)
      last = next
    }
    return (fires, nil)
  }

  /// As many as are told of one request.
  private static let maxFireCount: Int64 = 64

  /// The most seconds between two of its times, but for the days that a zone leaves out.
  private var longestPeriod: Int64 {
    switch shape {
    case .every(let seconds): Int64(seconds)
    case .daily: 86_400
    case .weekly: 7 * 86_400
    case .monthly: 31 * 86_400
    case .yearly: 366 * 86_400
    case .at, .place: 0
    }
  }
}
