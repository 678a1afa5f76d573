import Carillon
import Foundation
import Testing

@testable import CarillonCLI

struct ArgumentValueTests {
  @Test(
    "Times are read with an offset, or in the zone of the call",
    arguments: [
      ("1970-01-01T00:00Z", 0), ("1970-01-01T00:00:01Z", 1_000),
      ("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:00.123Z", 123),
      ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T19:00-05:00", 0),
      ("1970-01-01T01:00", 0), ("2026-07-01T02:00:00", 1_782_864_000_000),
    ])
  func instants(text: String, milliseconds: Int64) throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let moment = try InstantText(argument: text).resolved(in: zone, .past, today: "2026-11-23")
    #expect(moment.instant == Instant(milliseconds: milliseconds))
    #expect(moment.warning(for: "--now") == nil)
  }

  @Test(
    "A malformed time is refused",
    arguments: [
      "", "T", "2026-11-23", "2026-02-30T00:00Z", "2026-11-23T25:00Z", "2026-11-23T10Z",
      "2026-11-23T10:00:60Z", "2026-11-23T10:00:00.Z", "2026-11-23T10:00:00.1234567890Z",
      "2026-11-23T10:00+25:00", "2026-11-23T10:00:0Z", "2026-11-23 10:00Z", "2026-11-23T10:00ZZ",
      "2026-11-23T10:00:-1Z", "99999999999999999999-01-01T00:00Z",
    ])
  func noInstants(text: String) {
    #expect(throws: ArgumentProblem.self) { try InstantText(argument: text) }
  }

  @Test(
    "Amounts are read as thousandths",
    arguments: [
      ("0", 0), ("1", 1_000), ("2.5", 2_500), ("0.001", 1), ("007", 7_000),
      ("1000000000", 1_000_000_000_000),
    ])
  func amounts(text: String, thousandths: Int64) throws {
    #expect(try Amount(argument: text).thousandths == thousandths)
  }

  @Test(
    "A malformed amount is refused",
    arguments: [
      "", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "1.0000", "1000000000.001", "\u{0661}",
      "99999999999999999999", "1.2.3",
    ])
  func noAmounts(text: String) {
    #expect(throws: ArgumentProblem.self) { try Amount(argument: text) }
  }

  @Test("Thousandths are written without trailing zeros")
  func decimals() {
    #expect(Amount(thousandths: 2_500).description == "2.5")
    #expect(Amount(thousandths: 1_000).description == "1")
    #expect(Amount(thousandths: -1).description == "-0.001")
    #expect(Amount(thousandths: .min).description == "-9223372036854775.808")
  }

  @Test("Days, weekdays and intervals outside their limits are refused")
  func days() throws {
    #expect(try DayInterval(argument: "3650d").days == 3650)
    #expect(try DayInterval(argument: "2w").days == 14)
    #expect(try DayInterval(argument: "2 Weeks").days == 14)
    #expect(try DayInterval(argument: "week").days == 7)
    #expect(try StopAfter(argument: "0").days == 0)
    #expect(try StopAfter(argument: "2w").days == 14)
    #expect(try StopAfter(argument: "7d").days == 7)
    #expect(try WeekdayList(argument: "mon,mon,sun").days == [.monday, .sunday])
    for text in ["", "3", "0d", "3651d", "+3d", "-1d", "99999999999999999999d", "36h", "1d1d"] {
      #expect(throws: ArgumentProblem.self) { try DayInterval(argument: text) }
    }
    let list = try WeekdayList(argument: "mon-wed,Fri").days
    #expect(list == [.monday, .tuesday, .wednesday, .friday])
    #expect(try WeekdayList(argument: "sat-mon").days == [.saturday, .sunday, .monday])
    #expect(try WeekdayList(argument: "tue-tue").days == [.tuesday])
    #expect(try WeekdayList(argument: "mon-sun").days == Set(Weekday.allCases))
    for text in ["", "mon,", ",", "mo", "mon tue", "mon-", "-mon", "mon-fri-sun", "-"] {
      #expect(throws: ArgumentProblem.self) { try WeekdayList(argument: text) }
    }
  }

  @Test("A weekday may be written in full, and a group of them by its name")
  func groups() throws {
    #expect(try WeekdayList(argument: "Monday,tues").days == [.monday, .tuesday])
    #expect(try WeekdayList(argument: "weekends").days == [.saturday, .sunday])
    #expect(try WeekdayList(argument: "weekdays, Sat").days.count == 6)
    #expect(try WeekdayList(argument: "daily").days == Set(Weekday.allCases))
  }
}
