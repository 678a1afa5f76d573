import CarillonModel
import Foundation

/// Resolves the TZIDs of a file to zones.
///
/// A name of the IANA database means that zone, regardless of its definition in the file. The name
/// may have a prefix, as libical writes it: `/freeassociation.sourceforge.net/Europe/Berlin`. Any
/// other TZID needs a VTIMEZONE whose `X-LIC-LOCATION` is such a name. The offsets in a VTIMEZONE
/// are not used, since they cover only the years for which the file was written.
final class CalendarZones {
  /// The zone in X-WR-TIMEZONE of the first calendar that has one.
  private(set) var standard: String?
  private var locations: [String: String] = [:]
  private var found: [String: String?] = [:]
  private var calendars: [String: CivilCalendar] = [:]

  /// Adds the location of a VTIMEZONE.
  func add(_ component: ICalendarComponent) {
    guard let id = component["TZID"]?.value, let place = component["X-LIC-LOCATION"]?.value else {
      return
    }
    locations[id] = place
  }

  /// Sets the calendar's own zone, if none is set yet.
  func setStandard(_ name: String) {
    if standard == nil, name != "UTC" { standard = Self.zone(name) }
  }

  /// Returns the IANA name that a TZID means.
  ///
  /// - Throws: `CalendarLoss` naming the TZID if it is unknown.
  func name(of id: String, on line: Int) throws -> String {
    if let known = found[id] {
      guard let known else { throw Self.unknown(id, line) }
      return known
    }
    let name = Self.zone(id) ?? locations[id].flatMap(Self.zone)
    found[id] = .some(name)
    guard let name else { throw Self.unknown(id, line) }
    return name
  }

  /// Returns the civil calendar of a zone; UTC for nil.
  func calendar(_ name: String?) -> CivilCalendar {
    let name = name ?? "UTC"
    if let known = calendars[name] { return known }
    // The names come from `zone`, so they are valid.
    let calendar = CivilCalendar(zone: TimeZone(identifier: name) ?? .gmt)
    calendars[name] = calendar
    return calendar
  }

  /// Returns a time converted to another zone; dates and floating times are unchanged.
  func convert(_ time: CalendarTime, to zone: String?) -> CalendarTime {
    guard case .dateTime(let dateTime) = time.moment, let from = time.zone, let zone, zone != from,
      let instant = calendar(from).instant(of: dateTime)
    else { return time }
    return CalendarTime(
      .dateTime(calendar(zone).dateTime(at: instant)), zone: zone, hasSeconds: time.hasSeconds)
  }

  /// Returns the elapsed minutes from one time to another; a date counts as 00:00.
  func minutes(from start: CalendarTime, to end: CalendarTime) -> Int {
    guard let first = calendar(start.zone).instant(of: start.moment.dateTime),
      let last = calendar(end.zone ?? start.zone).instant(of: end.moment.dateTime)
    else { return 0 }
    return Int((last.milliseconds - first.milliseconds) / 60_000)
  }

  // MARK: - Parts

  private static func unknown(_ id: String, _ line: Int) -> CalendarLoss {
    CalendarLoss(.zones, line, "TZID \(ICalendarLine.excerpt(id))")
  }

  /// Returns the zone with a name, which may have a prefix.
  private static func zone(_ name: String) -> String? {
    if isZone(name) { return ["GMT", "Z", "Etc/UTC"].contains(name) ? "UTC" : name }
    guard name.hasPrefix("/") else { return nil }
    let parts = name.split(separator: "/")
    // America/Argentina/Buenos_Aires has three parts.
    return [3, 2].lazy.map { parts.suffix($0).joined(separator: "/") }.first(where: isZone)
  }

  private static func isZone(_ name: String) -> Bool {
    guard (1...64).contains(name.utf8.count),
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_+-/".contains($0)) })
    else { return false }
    return TimeZone(identifier: name) != nil
  }
}
