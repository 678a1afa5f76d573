import CarillonModel
import CarillonSQLite
import Foundation

/// In which zones a device was over a range: known while its plans found it in one zone again and
/// again, and between two zones only that it went from the one to the other.
struct ZoneHistory: Sendable {
  /// A part of the range, behind its start and up to its end.
  struct Part: Sendable {
    let start: Instant
    let end: Instant
    /// Where the device was when it began.
    let from: TimeZone
    /// Where it was when it ended, if elsewhere: it went there at a moment that is not known.
    let to: TimeZone?
  }

  let parts: [Part]

  /// - Parameters:
  ///   - stays: Where it was found, ascending; before the first it was there too.
  ///   - zone: Where it is at the range's end.
  init(_ periods: [ZonePeriod], after start: Instant, through end: Instant, now zone: TimeZone) {
    var parts: [Part] = []
    var here: TimeZone?
    var last = start
    func go(to next: TimeZone, by moment: Instant) {
      let from = here ?? next
      if moment > last {
        let isSame = from.identifier == next.identifier
        parts.append(Part(start: last, end: moment, from: from, to: isSame ? nil : next))
        last = moment
      }
      here = next
    }
    for period in periods where period.since < end {
      guard let zone = TimeZone(identifier: period.zone) else { continue }
      go(to: zone, by: period.since)
      go(to: zone, by: min(period.seen, end))
    }
    go(to: zone, by: end)
    self.parts = parts
  }
}

extension Request {
  /// The occurrences of a repeating request that fired on a device, as receipts name them, with
  /// when they did.
  ///
  /// Where the device went elsewhere meanwhile, those whose time came both here and there.
  func occurrences(on device: ZoneHistory) -> [(name: Notification, fireAt: Instant)] {
    device.parts.flatMap { part in
      let fired = occurrences(after: part.start, through: part.end, in: part.from)
      guard let zone = part.to else { return fired }
      let there = Set(
        occurrences(after: part.start, through: part.end, in: zone).lazy.map(\.name))
      return fired.filter { there.contains($0.name) }
    }
  }

  private func occurrences(
    after start: Instant, through end: Instant, in zone: TimeZone
  ) -> [(name: Notification, fireAt: Instant)] {
    guard let trigger = RequestTrigger(trigger) else { return [] }
    var found: [(name: Notification, fireAt: Instant)] = []
    var last = start
    while let next = trigger.nextOccurrence(after: last, in: zone, countedFrom: fireAt),
      next.fireAt <= end
    {
      found.append((notification(next.nominal), next.fireAt))
      last = next.fireAt
    }
    return found
  }

  /// What fires next of a repeating request, as receipts name it.
  func next(after moment: Instant, in zone: TimeZone) -> Notification? {
    RequestTrigger(trigger)?.nextOccurrence(after: moment, in: zone, countedFrom: fireAt)
      .map { notification($0.nominal) }
  }

  private func notification(_ nominal: CivilDateTime) -> Notification {
    Notification(subject: .occurrence(habit: habit, schedule: schedule, nominal: nominal))
  }
}
