import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// An entry that became due, and when it fired.
typealias DueEntry = (entry: ScheduleDocument.Entry, firedAt: Instant)

/// A request whose occurrences were shown together, and when it fired.
typealias ShownRequest = (request: NotificationRequest, firedAt: Instant)

extension ScheduleDocument {
  /// Moves the device to a time zone; entries that follow the device keep their civil times.
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

  /// Removes and returns the entries that are due at an instant, in the order in which they fired.
  ///
  /// A repeating entry stays pending with its next time, and is returned for the newest 64 times at
  /// which it fired.
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
      // A trigger that never fires, such as one for February 30, fires once at the given time.
      due += (fires.isEmpty && next == nil ? [fireAt] : fires).map { (entry, $0) }
      if let next { left.append(entry.firing(at: next, time)) }
    }
    pending = left
    return due.filter { $0.firedAt > fired }.sorted {
      ($0.firedAt, $0.entry.id) < ($1.firedAt, $1.entry.id)
    }
  }

  /// Records the time that the clock shows now.
  ///
  /// If the clock was set back, either the new or the old time is wrong. The next look decides. If
  /// time continues from here, the clock had been ahead. If it is at least as late as the old time,
  /// the clock was behind for a while.
  ///
  /// - Returns: If the clock was behind for a while, the time up to which everything has already
  ///   fired, else nil.
  mutating func advance(to now: Instant, _ time: LocalTime) -> Instant? {
    defer { asOf = now }
    guard let last = asOf else { return nil }
    guard now < last else {
      if now.milliseconds - last.milliseconds > 3_600_000 { leaptFrom = last }
      defer { setBackFrom = nil }
      return setBackFrom.flatMap { $0 <= now ? $0 : nil }
    }
    setBackFrom = max(setBackFrom ?? last, last)
    let since = lastLook(by: now) ?? now
    // A repeating entry next fires after the previous look, however far the clock had been ahead.
    for (index, entry) in pending.enumerated() {
      guard let fireAt = entry.fireAt, let trigger = entry.trigger, trigger.repeats,
        let next = trigger.nextFire(after: since, in: time.zone, countedFrom: fireAt), next < fireAt
      else { continue }
      pending[index] = entry.firing(at: next, time)
    }
    return nil
  }

  /// The last look by a clock that was not ahead of `now`; nil if it is not known.
  func lastLook(by now: Instant) -> Instant? {
    [asOf, leaptFrom].compactMap(\.self).filter { $0 <= now }.max()
  }

  /// Records notifications as delivered, each in place of an earlier one of its ID.
  mutating func deliver(_ entries: [DueEntry]) {
    for (entry, firedAt) in entries {
      delivered.removeAll { $0.id == entry.id }
      delivered.append(Delivered(id: entry.id, title: entry.title, deliveredAt: firedAt))
    }
  }

  /// Records the occurrences of a request as delivered, each in place of an earlier one of its ID.
  mutating func deliver(_ shown: ShownRequest) {
    for occurrence in shown.request.occurrences {
      let id = NotificationID.request(occurrence.requestID)
      delivered.removeAll { $0.id == id }
      delivered.append(
        Delivered(
          id: id, title: shown.request.content.title, deliveredAt: shown.firedAt,
          habit: occurrence.habit.description))
    }
  }

  /// The earliest time at which a pending entry is due, or nil.
  var nextFire: Instant? { pending.compactMap(\.fireAt).min() }
}

extension RequestTrigger {
  /// Returns when it fires in another zone if it follows the device; nil if nothing changes.
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

  /// Returns the times at which it fired up to `now`, at most the newest 64, and its next time.
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

  /// The most times that are reported for one request.
  private static let maxFireCount: Int64 = 64

  /// The most seconds between two of its times, except for days that a zone skips.
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
