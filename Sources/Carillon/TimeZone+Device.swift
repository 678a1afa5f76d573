package import Foundation

extension TimeZone {
  /// The device's time zone: the one that `TZ` in the environment names, or else the system's.
  ///
  /// Nil if `TZ` is set and names no zone of the time zone database.
  package static var device: TimeZone? {
    guard let value = getenv("TZ") else { return .current }
    return named(inTZ: String(cString: value))
  }

  /// Returns the zone of the time zone database that a value of `TZ` names, as the C library reads
  /// it; nil if it names none, such as the rule `JST-9`.
  ///
  /// A colon may come before the name, and the path of the zone's file may stand for it. An empty
  /// value is UTC.
  static func named(inTZ value: String) -> TimeZone? {
    let text = value.hasPrefix(":") ? String(value.dropFirst()) : value
    guard !text.isEmpty else { return TimeZone(identifier: "UTC") }
    guard let name = text.hasPrefix("/") ? name(ofFile: text) : text,
      let zone = TimeZone(identifier: name)
    else { return nil }
    // Foundation also knows offsets and abbreviations, which are no names of the database. In `TZ`,
    // UTC-5 is 5 hours east.
    let isOffset = zone.identifier != name && !["UTC", "GMT+0", "GMT-0"].contains(name)
    let isAbbreviation =
      name.utf8.count == 3 && name == name.uppercased() && !shortNames.contains(name)
    return isOffset || isAbbreviation ? nil : zone
  }

  /// The names of the database that look like abbreviations.
  private static let shortNames: Set = [
    "CET", "EET", "EST", "GMT", "HST", "MET", "MST", "PRC", "ROC", "ROK", "UCT", "UTC", "WET",
  ]

  /// Returns the name of the zone whose file is at a path, with links resolved if necessary.
  private static func name(ofFile path: String) -> String? {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path
    return [path, resolved].lazy.compactMap { path in
      path.firstRange(of: "/zoneinfo/").map { String(path[$0.upperBound...]) }
    }.first
  }
}
