extension Instant {
  /// Returns the instant as RFC 3339, such as `2026-11-23T16:00:00Z` or
  /// `2026-11-23T17:00:00+01:00`.
  ///
  /// Milliseconds are written if there are any: `16:00:00.007Z`.
  ///
  /// - Parameter offsetSeconds: The zone's offset from UTC, less than a day; 0 writes `Z`. RFC 3339
  ///   has no seconds in an offset: they are dropped, and the local time is that of the written
  ///   offset.
  package func rfc3339(offsetSeconds: Int = 0) -> String {
    let offset = Int64(offsetSeconds) / 60
    let (date, time) = civil(offsetSeconds: Int(offset) * 60)
    let seconds = time / 1000
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(2) }
    let zone =
      offset == 0
      ? "Z"
      : (offset < 0 ? "-" : "+") + "\(Int(abs(offset) / 60).padded(2)):"
        + Int(abs(offset) % 60).padded(2)
    let fraction = time % 1000 == 0 ? "" : ".\((time % 1000).padded(3))"
    return "\(date)T\(clock.joined(separator: ":"))\(fraction)\(zone)"
  }

  /// Returns the civil date, and the milliseconds since its midnight, at an offset from UTC.
  ///
  /// - Parameter offsetSeconds: How far the clock is ahead of UTC, less than a day.
  package func civil(offsetSeconds: Int) -> (date: CivilDate, milliseconds: Int) {
    let offset = Int64(offsetSeconds) * 1000
    let (local, overflow) = milliseconds.addingReportingOverflow(offset)
    let (day, time) = (overflow ? milliseconds : local).flooredDivision(by: 86_400_000)
    return (CivilDate(rawValue: Int32(clamping: day)), Int(time))
  }

  /// Parses RFC 3339, such as `2026-11-23T16:00:00Z` or the same with an offset.
  ///
  /// Fractions of a second may have one to nine digits; digits after milliseconds are dropped.
  public init?(rfc3339 text: String) {
    guard text.utf8.count <= 40, let split = text.firstIndex(of: "T"),
      let date = CivilDate(String(text[..<split]))
    else { return nil }
    let rest = text[text.index(after: split)...]
    guard let zone = rest.firstIndex(where: { "Z+-".contains($0) }),
      let milliseconds = Self.clock(rest[..<zone]), let offset = Self.offset(rest[zone...])
    else { return nil }
    self.init(milliseconds: Int64(date.rawValue) * 86_400_000 + milliseconds - offset * 60_000)
  }

  /// Returns the milliseconds since midnight of a time such as `16:00:00.000`.
  private static func clock(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].utf8.count == 8, parts[0].dropFirst(5).first == ":",
      let time = TimeOfDay(String(parts[0].prefix(5))),
      let seconds = Int(digits: parts[0].suffix(2)), seconds < 60
    else { return nil }
    let whole = Int64(time.minute) * 60_000 + Int64(seconds) * 1000
    guard parts.count == 2 else { return whole }
    guard parts[1].utf8.count <= 9, Int(digits: parts[1]) != nil,
      let fraction = Int(digits: (parts[1] + "00").prefix(3))
    else { return nil }
    return whole + Int64(fraction)
  }

  /// Returns the minutes east of UTC of `Z` or an offset such as `+01:00`.
  private static func offset(_ text: Substring) -> Int64? {
    if text == "Z" { return 0 }
    guard let time = TimeOfDay(String(text.dropFirst())) else { return nil }
    return text.hasPrefix("-") ? -Int64(time.minute) : Int64(time.minute)
  }
}
