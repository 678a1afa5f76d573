import Foundation
import Testing

@testable import CarillonModel

@Suite struct CivilCalendarTests {
  /// Every zone's civil times around its offset changes, against Python's zoneinfo. A zone that
  /// Foundation does not know under an old name is passed over; where the two databases are of
  /// different versions, the rules of a few zones may differ.
  @Test("Civil times around every offset change are what zoneinfo says")
  func oracle() throws {
    let oracle = try ZoneOracle()
    var different: [String] = []
    var unknown: [String] = []
    var count = 0
    for group in oracle.groups {
      for name in group.names {
        guard let zone = TimeZone(identifier: name) else {
          unknown.append(name)
          continue
        }
        let calendar = CivilCalendar(zone: zone)
        let wrong = oracle.probes(of: group).filter { calendar.minute(of: $0.civil) != $0.instant }
        if !wrong.isEmpty { different.append(name) }
        count += oracle.probes(of: group).count
      }
    }
    let foundation = TimeZone.timeZoneDataVersion
    #expect(
      different.count <= (oracle.version == foundation ? 0 : 12),
      "tzdata \(oracle.version) here, \(foundation) in Foundation; other rules: \(different)")
    #expect(unknown.count <= 4, "unknown to Foundation: \(unknown)")
    #expect(count > 100_000)
  }

  @Test("The offset changes that a window finds are those of zoneinfo, for every zone")
  func windows() throws {
    let oracle = try ZoneOracle()
    let (start, end) = (instant("2005-01-01T00:00Z"), instant("2037-01-01T00:00Z"))
    var different: [String] = []
    for group in oracle.groups {
      guard let name = group.names.first, let zone = TimeZone(identifier: name) else { continue }
      let window = ZoneWindow(calendar: CivilCalendar(zone: zone), from: start, to: end)
      if window.changes.map({ $0.second / 60 }) != group.changes.map(\.minute) {
        different.append(name)
      }
    }
    let isSameVersion = oracle.version == TimeZone.timeZoneDataVersion
    #expect(different.count <= (isSameVersion ? 0 : 12), "\(different)")
  }
}

extension CivilCalendar {
  /// The instant of civil minutes since 1970, in minutes.
  fileprivate func minute(of civil: Int) -> Int? {
    instant(of: CivilDateTime(civilSeconds: civil * 60)).map { $0.seconds / 60 }
  }
}
