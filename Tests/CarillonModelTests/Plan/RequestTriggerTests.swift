import CarillonModel
import Foundation
import Testing

/// The text form of a trigger and its next instant.
struct RequestTriggerTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin")

  @Test(
    "Parsing and formatting a trigger returns the same text",
    arguments: [
      "at 2026-11-23T17:00", "at 2026-11-23T17:00 America/New_York", "daily 07:30",
      "weekly 1 07:30", "monthly 15 07:30", "yearly 03-15 07:30", "every 3600",
      "place 52520000,-13405000,200 entry", "weekly 7 00:00 Asia/Tokyo",
    ])
  func text(_ text: String) throws {
    #expect(try #require(RequestTrigger(text)).description == text)
  }

  @Test(
    "An invalid trigger is rejected",
    arguments: [
      "", "at", "at noon", "daily 7:30", "weekly 0 07:30", "weekly 8 07:30", "monthly 29 07:30",
      "yearly 02-29 07:30", "every 59", "every", "place 1,2 entry", "place 1,2,3 near",
      "daily 07:30 ", "daily 07:30 A B", "hourly 3",
    ])
  func malformed(_ text: String) {
    #expect(RequestTrigger(text) == nil)
  }

  @Test(
    "The next instant follows the zone's clock and the gap rule",
    arguments: [
      ("daily 02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"),
      ("daily 02:30", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"),
      ("daily 02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
      ("weekly 7 23:30", "2026-11-22T22:30:00Z", "2026-11-29T22:30:00Z"),
      ("monthly 28 08:00", "2026-01-28T07:00:00Z", "2026-02-28T07:00:00Z"),
      ("yearly 03-15 08:00", "2026-03-15T07:00:00Z", "2027-03-15T07:00:00Z"),
      ("at 2026-11-23T17:00", "2026-11-23T15:59:59Z", "2026-11-23T16:00:00Z"),
      ("at 2026-11-23T17:00 Asia/Tokyo", "2026-11-23T00:00:00Z", "2026-11-23T08:00:00Z"),
      ("every 3600", "2026-11-23T10:00:00Z", "2026-11-23T10:20:00Z"),
      ("every 3600", "2026-11-23T10:20:00Z", "2026-11-23T11:20:00Z"),
      ("every 3600", "2026-11-20T10:20:00Z", "2026-11-20T11:20:00Z"),
      ("every 3600", "2026-11-20T10:19:59Z", "2026-11-20T10:20:00Z"),
    ])
  func next(_ text: String, _ after: String, _ expected: String) throws {
    let zone = try #require(Self.berlin)
    let trigger = try #require(RequestTrigger(text))
    let moment = try #require(Instant(rfc3339: after))
    let first = Instant(rfc3339: "2026-11-22T00:20:00Z")
    let fire = trigger.nextFire(after: moment, in: zone, countedFrom: first)
    #expect(fire?.rfc3339(offsetSeconds: 0) == expected)
  }

  @Test("A past instant, a place and an unknown zone have no next instant")
  func never() throws {
    let zone = try #require(Self.berlin)
    let moment = try #require(Instant(rfc3339: "2026-11-23T16:00:00Z"))
    for text in ["at 2026-11-23T17:00", "place 1,2,3 exit", "daily 07:30 Mars/Olympus", "every 60"]
    {
      let trigger = try #require(RequestTrigger(text))
      #expect(trigger.nextFire(after: moment, in: zone, countedFrom: nil) == nil, "\(text)")
    }
  }
}
