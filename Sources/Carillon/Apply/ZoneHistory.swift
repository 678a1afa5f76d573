import CarillonModel
import CarillonSQLite
import Foundation

/// The zones in which a device was over a range.
///
/// Between two plans made in the same zone the zone is known. Between two plans made in different
/// zones only the two zones are known, not the moment of the change.
struct ZoneHistory: Sendable {
  /// A part of the range, which excludes its start and includes its end.
  struct Part: Sendable {
    let start: Instant
    let end: Instant
    /// The device's zone at the start.
    let from: TimeZone
    /// The device's zone at the end, if different; the moment of the change is unknown.
    let to: TimeZone?
  }

  let parts: [Part]

  /// - Parameters:
  ///   - periods: The periods in which it was found in a zone, ascending. It is assumed to have
  ///     been in the first zone before the first period.
  ///   - zone: The zone at the end of the range.
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

extension NotificationRequest {
  /// Returns the occurrences for which a repeating request fired on a device, and when it fired.
  ///
  /// If the device changed its zone, only occurrences whose time passed in both zones are returned.
  func occurrences(on device: ZoneHistory) -> [(occurrence: OccurrenceID, fireAt: Instant)] {
    device.parts.flatMap { part in
      let fired = occurrences(after: part.start, through: part.end, in: part.from)
      guard let zone = part.to else { return fired }
      let there = Set(
        occurrences(after: part.start, through: part.end, in: zone).lazy.map(\.occurrence))
      return fired.filter { there.contains($0.occurrence) }
    }
  }

  private func occurrences(
    after start: Instant, through end: Instant, in zone: TimeZone
  ) -> [(occurrence: OccurrenceID, fireAt: Instant)] {
    var found: [(occurrence: OccurrenceID, fireAt: Instant)] = []
    var last = start
    while let next = trigger.nextOccurrence(after: last, in: zone, countedFrom: fireAt),
      next.fireAt <= end
    {
      found.append((occurrence(at: next.nominal), next.fireAt))
      last = next.fireAt
    }
    return found
  }

  /// Returns the next occurrence for which a repeating request fires.
  func next(after moment: Instant, in zone: TimeZone) -> OccurrenceID? {
    trigger.nextOccurrence(after: moment, in: zone, countedFrom: fireAt)
      .map { occurrence(at: $0.nominal) }
  }

  private func occurrence(at nominal: CivilDateTime) -> OccurrenceID {
    OccurrenceID(habit: habit, schedule: schedule, nominal: nominal)
  }
}
