import Foundation
import Testing

@testable import CarillonModel

@Suite struct CivilCalendarTests {
  /// Compares the civil times around every zone's offset changes with Python's zoneinfo.
  ///
  /// Zones whose old names Foundation does not know are skipped. If the two databases have
  /// different versions, the rules of a few zones may differ.
  @Test("Civil times around every offset change are the same as in zoneinfo")
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

  @Test("A window finds the same offset changes as zoneinfo, for every zone")
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

  /// On the day of a gap, 04:00 is three hours after midnight.
  ///
  /// The instant minus four hours is on the previous date, but the clock minus four hours is not.
  @Test("The logical date depends on the clock, even on days of an offset change")
  func logicalDate() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    for (now, date) in [
      ("2026-03-29T00:59Z", "2026-03-28"), ("2026-03-29T01:30Z", "2026-03-28"),
      ("2026-03-29T02:00Z", "2026-03-29"), ("2026-10-25T02:59Z", "2026-10-24"),
      ("2026-10-25T03:00Z", "2026-10-25"),
    ] {
      #expect(LogicalDate.of(instant(now), in: zone, dayStart: "04:00").description == date)
    }
    #expect(LogicalDate.of(instant("2026-03-29T22:00Z"), in: zone) == "2026-03-30")
  }

  @Test(
    "A date starts after a gap at midnight; a skipped date starts with the next date")
  func firstInstant() throws {
    func first(_ zone: String, _ date: CivilDate) throws -> String {
      let zone = try #require(TimeZone(identifier: zone))
      return utc(CivilCalendar(zone: zone).firstInstant(of: date))
    }
    #expect(try first("America/Havana", "2026-03-08") == "2026-03-08T05:00Z")
    #expect(try first("Europe/Berlin", "2026-03-29") == "2026-03-28T23:00Z")
    #expect(try first("Pacific/Apia", "2011-12-30") == "2011-12-30T10:00Z")
  }

  @Test("Out-of-range dates and instants neither trap nor overflow")
  func outOfRange() throws {
    let calendar = CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    for raw in [Int32.min, .max] {
      let date = CivilDate(rawValue: raw)
      #expect(calendar.instant(of: CivilDateTime(date: date, time: .midnight)) == nil)
      #expect(CivilCalendar.instants.contains(calendar.firstInstant(of: date)))
    }
    for milliseconds in [Int64.min, .max] {
      #expect(!calendar.dateTime(at: Instant(milliseconds: milliseconds)).description.isEmpty)
    }
  }
}

extension CivilCalendar {
  /// Returns the instant of a civil time, both in minutes since 1970.
  fileprivate func minute(of civil: Int) -> Int? {
    instant(of: CivilDateTime(civilSeconds: civil * 60)).map { $0.seconds / 60 }
  }
}
