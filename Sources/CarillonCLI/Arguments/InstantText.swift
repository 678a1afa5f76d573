import Carillon
import CarillonModel
import Foundation

/// A time in ISO 8601: `2026-11-23T17:00:00Z`, with an offset, or without one.
///
/// Without an offset it is civil time in the call's zone. Seconds and their fraction are optional.
struct InstantText: ArgumentValue {
  /// The instant; of a civil time, the instant that it would be in UTC.
  private let instant: Instant
  /// Whether the text names no offset.
  private let isCivil: Bool

  static let form = "a time such as 2026-11-23T17:00:00Z or 2026-11-23T17:00:00+01:00"

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let time = parts.last ?? ""
    let clock = time.prefix { !"Z+-".contains($0) }
    let zone = time[clock.endIndex...]
    let seconds = clock.utf8.count == 5 ? ":00" : ""
    guard
      let instant = Instant(rfc3339: "\(parts[0])T\(clock)\(seconds)\(zone.isEmpty ? "Z" : zone)"),
      parts.count == 2
    else { throw ArgumentProblem("\"\(argument)\" is not a time in ISO 8601") }
    self.instant = instant
    isCivil = zone.isEmpty
  }

  /// Returns the instant as the clock of a call.
  ///
  /// It must be in the range that can be planned. Verbs that write accept a smaller range, which
  /// they check themselves.
  ///
  /// - Throws: `clockExhausted` if it is out of range.
  func clock(in zone: TimeZone) throws(CommandFailure) -> Instant {
    let moment = instant(in: zone)
    let planned = CivilCalendar.instants
    guard planned.contains(moment) else {
      throw CommandFailure(
        status: .badData, code: ModelError.Code.clockExhausted.rawValue,
        message: "--now: \(moment.rfc3339()) is out of range; \(planned.lowerBound.rfc3339()) to "
          + "\(planned.upperBound.rfc3339()) is allowed, and 1970-01-01 to 2200-12-31 to write",
        hint: "give \(Self.form)")
    }
    return moment
  }

  /// Returns the instant; a text without an offset is civil time in the zone.
  func instant(in zone: TimeZone) -> Instant {
    guard isCivil else { return instant }
    func east(_ milliseconds: Int64) -> Int64 {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      return Int64(zone.secondsFromGMT(for: date)) * 1000
    }
    // The second step corrects the offset of the first guess next to an offset change.
    let civil = instant.milliseconds
    return Instant(milliseconds: civil - east(civil - east(civil)))
  }
}
