import Foundation
import Testing

@testable import CarillonModel

@Suite struct CivilCalendarTests {
  /// Every zone's civil times around its offset changes, against Python's zoneinfo.
  ///
  /// A zone that Foundation does not know under an old name is passed over; where the two databases
  /// are of different versions, the rules of a few zones may differ.
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

  /// 02:30 on the day of a gap is 90 minutes after midnight; the instant less four hours would be
  /// on another date than the clock less four hours.
  @Test("The logical date looks at the clock, also on days of an offset change")
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
    "The first instant of a date is after a gap at midnight, and of the next where it is left out")
  func firstInstant() throws {
    func first(_ zone: String, _ date: CivilDate) throws -> String {
      let zone = try #require(TimeZone(identifier: zone))
      return utc(CivilCalendar(zone: zone).firstInstant(of: date))
    }
    #expect(try first("America/Havana", "2026-03-08") == "2026-03-08T05:00Z")
    #expect(try first("Europe/Berlin", "2026-03-29") == "2026-03-28T23:00Z")
    #expect(try first("Pacific/Apia", "2011-12-30") == "2011-12-30T10:00Z")
  }

  @Test("Dates and instants out of range neither trap nor wrap")
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
  /// The instant of civil minutes since 1970, in minutes.
  fileprivate func minute(of civil: Int) -> Int? {
    instant(of: CivilDateTime(civilSeconds: civil * 60)).map { $0.seconds / 60 }
  }
}
