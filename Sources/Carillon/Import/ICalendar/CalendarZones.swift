import CarillonModel
import Foundation

/// Which zones the TZIDs of a file mean.
///
/// A name of the IANA database is that zone, whatever the file says of it; so is one with a prefix
/// as libical writes it, `/freeassociation.sourceforge.net/Europe/Berlin`. Any other must have a
/// VTIMEZONE whose `X-LIC-LOCATION` is such a name. Offsets that a VTIMEZONE spells out are not
/// made a zone of: they end with the years that the file was written for.
final class CalendarZones {
  /// X-WR-TIMEZONE: of the first calendar that has one.
  private(set) var standard: String?
  private var locations: [String: String] = [:]
  private var found: [String: String?] = [:]
  private var calendars: [String: CivilCalendar] = [:]

  /// Takes what a VTIMEZONE says of its place.
  func add(_ component: ICalendarComponent) {
    guard let id = component["TZID"]?.value, let place = component["X-LIC-LOCATION"]?.value else {
      return
    }
    locations[id] = place
  }

  /// Takes what a calendar says of its zone.
  func setStandard(_ name: String) {
    if standard == nil, name != "UTC" { standard = Self.zone(name) }
  }

  /// The name in the IANA database that a TZID means.
  ///
  /// - Throws: `CalendarLoss` naming the TZID where there is none.
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

  /// The civil time of a zone, where nil is UTC too.
  func calendar(_ name: String?) -> CivilCalendar {
    let name = name ?? "UTC"
    if let known = calendars[name] { return known }
    // The names are those that `zone` found.
    let calendar = CivilCalendar(zone: TimeZone(identifier: name) ?? .gmt)
    calendars[name] = calendar
    return calendar
  }

  /// What another zone's clock shows at a time; dates stay, and so do times that float.
  func convert(_ time: CalendarTime, to zone: String?) -> CalendarTime {
    guard case .dateTime(let dateTime) = time.moment, let from = time.zone, let zone, zone != from,
      let instant = calendar(from).instant(of: dateTime)
    else { return time }
    return CalendarTime(
      .dateTime(calendar(zone).dateTime(at: instant)), zone: zone, hasSeconds: time.hasSeconds)
  }

  /// The elapsed minutes from one time to another; dates are at 00:00.
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

  /// The zone of a name, also with a prefix of parts in front.
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
