import Foundation
import Testing

@testable import CarillonModel

@Suite struct ZoneWindowTests {
  private func window(_ zone: String, _ start: String, _ end: String) throws -> ZoneWindow {
    let zone = try #require(TimeZone(identifier: zone))
    return ZoneWindow(
      calendar: CivilCalendar(zone: zone), from: instant(start), to: instant(end))
  }

  @Test(
    "Around a change, a window has the same instants and civil times as the calendar",
    arguments: [
      ("Europe/Berlin", "2026-03-29T01:00Z"), ("Europe/Berlin", "2026-10-25T01:00Z"),
      ("Australia/Lord_Howe", "2026-10-03T15:30Z"), ("Australia/Lord_Howe", "2026-04-04T15:00Z"),
      ("America/Scoresbysund", "2026-03-29T01:00Z"), ("America/St_Johns", "2010-11-07T02:31Z"),
      ("Pacific/Apia", "2011-12-30T10:00Z"), ("Antarctica/Troll", "2026-10-25T01:00Z"),
    ])
  func changes(zone: String, change: String) throws {
    let change = instant(change)
    let window = try window(zone, utc(change.adding(-172_800_000)), utc(change.adding(172_800_000)))
    #expect(window.changes.map(\.second) == [change.seconds])
    var wrong: [String] = []
    for minute in -1_600...1_600 {
      let now = change.adding(Int64(minute) * 60_000)
      if window.offset(at: now.seconds) != window.calendar.offsetSeconds(at: now) {
        wrong.append("offset at \(utc(now))")
      }
      let moment = window.calendar.dateTime(at: now)
      let found = window.second(of: moment.civilSeconds).map { Instant(seconds: $0) }
      if found != window.calendar.instant(of: moment) { wrong.append("\(moment)") }
    }
    for gap in window.gaps {
      for civil in stride(from: gap.lowerBound, to: gap.upperBound, by: 60) {
        let moment = CivilDateTime(civilSeconds: civil)
        let found = window.second(of: civil).map { Instant(seconds: $0) }
        if found != window.calendar.instant(of: moment) { wrong.append("\(moment) in the gap") }
      }
    }
    #expect(wrong == [])
  }

  @Test("Clocks set back over midnight repeat the previous date")
  func backOverMidnight() throws {
    let window = try window("America/St_Johns", "2010-11-05T00:00Z", "2010-11-09T00:00Z")
    // The 7th starts at 02:30Z. At 00:01 clocks go back to 23:01 of the 6th, which ends at 03:30Z.
    for (now, change) in [
      ("2010-11-06T12:00Z", "2010-11-07T02:30Z"), ("2010-11-07T02:30Z", "2010-11-07T02:31Z"),
      ("2010-11-07T02:31Z", "2010-11-07T03:30Z"), ("2010-11-07T03:30Z", "2010-11-08T03:30Z"),
    ] {
      #expect(utc(window.nextDateChange(after: instant(now), dayStart: .midnight)) == change)
    }
  }

  @Test("A day whose start lies in a gap starts at the end of the gap")
  func dayStartInGap() throws {
    let window = try window("Europe/Berlin", "2026-03-27T00:00Z", "2026-03-31T00:00Z")
    let change = window.nextDateChange(after: instant("2026-03-28T12:00Z"), dayStart: "02:30")
    #expect(utc(change) == "2026-03-29T01:00Z")
  }

  @Test("Nominal times around a gap over midnight are sorted by instant")
  func gapOverMidnight() {
    // At 2026-03-29T01:00Z the clocks go from 23:00 of the 28th to 00:00 of the 29th.
    let habit = Habit("Walk", .daily(at: ["00:10", "00:30", "23:30"], unless: .done))
    var fixture = PlanFixture("America/Scoresbysund", habit)
    let plan = fixture.plan(at: "2026-03-29T00:30Z")
    #expect(
      plan.fires.prefix(4) == [
        "2026-03-29T01:10Z", "2026-03-29T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z",
      ])
    #expect(plan.requests[1].id < plan.requests[2].id)
    for capacity in 1...4 {
      fixture.capacity = capacity
      let fewer = fixture.plan(at: "2026-03-29T00:30Z")
      #expect(fewer.requests.map(\.id) == plan.requests.prefix(capacity).map(\.id))
    }
  }
}

extension Instant {
  fileprivate func adding(_ milliseconds: Int64) -> Instant {
    Instant(milliseconds: self.milliseconds + milliseconds)
  }
}
