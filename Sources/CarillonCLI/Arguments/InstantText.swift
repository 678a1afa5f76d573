import Carillon
import Foundation

/// A moment as ISO 8601 writes it: `2026-11-23T17:00:00Z`, with an offset, or without one.
///
/// Without an offset it is civil time of the call's zone. Seconds and up to three decimals of them
/// may be left out.
struct InstantText: ArgumentValue {
  /// Milliseconds since 1970 as if the civil time were UTC.
  private let civil: Int64
  /// Minutes east of UTC, where the text says so.
  private let offset: Int64?

  static let form = "a moment such as 2026-11-23T17:00:00Z or 2026-11-23T17:00:00+01:00"

  init(argument: String) throws(ArgumentProblem) {
    let problem = ArgumentProblem("\"\(argument)\" is no moment of ISO 8601")
    let parts = argument.split(separator: "T", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let date = CivilDate(parts[0]) else { throw problem }
    guard let (time, offset) = Self.splitOffset(parts[1]), let clock = Self.milliseconds(time)
    else { throw problem }
    civil = Int64(date.rawValue) * 86_400_000 + clock
    self.offset = offset
  }

  /// The moment, where a text without an offset means civil time of the zone.
  func instant(in zone: TimeZone) -> Instant {
    if let offset { return Instant(milliseconds: civil - offset * 60_000) }
    func east(_ milliseconds: Int64) -> Int64 {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      return Int64(zone.secondsFromGMT(for: date)) * 1000
    }
    // The offset at the guess is that of the moment, but next to an offset change.
    return Instant(milliseconds: civil - east(civil - east(civil)))
  }

  private static func splitOffset(_ text: String) -> (time: String, offset: Int64?)? {
    if text.hasSuffix("Z") { return (String(text.dropLast()), 0) }
    guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return (text, nil) }
    guard let clock = TimeOfDay(String(text[text.index(after: sign)...])) else { return nil }
    let minutes = Int64(clock.minute)
    return (String(text[..<sign]), text[sign] == "-" ? -minutes : minutes)
  }

  /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff` as milliseconds since midnight.
  private static func milliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let clock = TimeOfDay(parts[0] + ":" + parts[1]) else {
      return nil
    }
    let minutes = Int64(clock.minute) * 60_000
    guard parts.count == 3 else { return minutes }
    let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(seconds.count), seconds[0].utf8.count == 2,
      let whole = Self.digits(seconds[0]), whole < 60
    else { return nil }
    guard seconds.count == 2 else { return minutes + whole * 1000 }
    let count = seconds[1].utf8.count
    guard (1...3).contains(count), let fraction = Self.digits(seconds[1]) else { return nil }
    return minutes + whole * 1000 + fraction * [100, 10, 1][count - 1]
  }

  private static func digits(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}
