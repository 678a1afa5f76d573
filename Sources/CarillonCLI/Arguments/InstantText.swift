import Carillon
import Foundation

/// A moment as ISO 8601 writes it: `2026-11-23T17:00:00Z`, with an offset, or without one.
///
/// Without an offset it is civil time of the call's zone. Seconds and their fraction may be left
/// out.
struct InstantText: ArgumentValue {
  /// The moment, or what it would be if the civil time were UTC.
  private let instant: Instant
  /// Whether the text names no offset.
  private let isCivil: Bool

  static let form = "a moment such as 2026-11-23T17:00:00Z or 2026-11-23T17:00:00+01:00"

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let time = parts.last ?? ""
    let clock = time.prefix { !"Z+-".contains($0) }
    let zone = time[clock.endIndex...]
    let seconds = clock.utf8.count == 5 ? ":00" : ""
    guard
      let instant = Instant(rfc3339: "\(parts[0])T\(clock)\(seconds)\(zone.isEmpty ? "Z" : zone)"),
      parts.count == 2
    else { throw ArgumentProblem("\"\(argument)\" is no moment of ISO 8601") }
    self.instant = instant
    isCivil = zone.isEmpty
  }

  /// The moment as the clock of a call: one at which what is read can be planned.
  ///
  /// Writing verbs take less, and say so.
  ///
  /// - Throws: `clockExhausted`.
  func clock(in zone: TimeZone) throws(CommandFailure) -> Instant {
    let moment = instant(in: zone)
    let planned = CivilCalendar.instants
    guard planned.contains(moment) else {
      throw CommandFailure(
        status: .badData, code: ModelError.Code.clockExhausted.rawValue,
        message: "--now: \(moment.rfc3339()) is out of range; \(planned.lowerBound.rfc3339()) to "
          + "\(planned.upperBound.rfc3339()) is allowed, and to write, 1970-01-01 to 2200-12-31",
        hint: "give \(Self.form)")
    }
    return moment
  }

  /// The moment, where a text without an offset means civil time of the zone.
  func instant(in zone: TimeZone) -> Instant {
    guard isCivil else { return instant }
    func east(_ milliseconds: Int64) -> Int64 {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      return Int64(zone.secondsFromGMT(for: date)) * 1000
    }
    // The offset at the guess is that of the moment, but next to an offset change.
    let civil = instant.milliseconds
    return Instant(milliseconds: civil - east(civil - east(civil)))
  }
}
