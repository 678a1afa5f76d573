import Foundation
import Testing

/// `done` and `snooze` without a date are only for reminders that fired.
struct FiredReminderTests {
  private static let zone = "UTC"
  private static let monday = "2026-11-23T08:00:00Z"
  private static let tuesday = "2026-11-24T10:00:00Z"

  private func run(_ bench: Workbench, _ now: String, _ verb: String...) async throws -> Answer {
    try await bench.start(verb, now: now, zone: Self.zone).answer()
  }

  private func done(_ bench: Workbench, _ title: String, _ now: String) async throws -> String? {
    let answer = try await bench.start(["done", title, "--json"], now: now, zone: Self.zone)
      .answer()
    return try answer.document()["date"]?.text
  }

  /// The exit code of a snooze that records only the app's use.
  private func snooze(_ bench: Workbench, _ title: String, _ now: String) async throws -> Int32 {
    let answer = try await run(bench, now, "snooze", title)
    let snoozed = try await bench.log().contains("snooze.set")
    #expect(snoozed == (answer.status == 0), "\(answer)")
    return answer.status
  }

  @Test(
    "A habit written by a clock that was ahead existed from now on at the latest",
    arguments: ["2026-11-24T00:35:00Z", "2026-11-25T00:05:00Z", "2027-11-24T00:05:00Z"])
  func clockAhead(ahead: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try await bench.run("habit", "add", "Other", "--at", "20:00", store: "watch", now: ahead)
    let now = "2026-11-24T00:06:00Z"
    _ = try await run(bench, now, "sync", bench.path("phone"), bench.path("watch"))
    _ = try await run(bench, now, "habit", "add", "Gym", "--at", "18:00")
    #expect(try await snooze(bench, "Gym", "2026-11-24T00:10:00Z") == 1)
    #expect(try await done(bench, "Gym", "2026-11-24T00:10:00Z") == "2026-11-24")
  }

  @Test("A clock that was once a day ahead does not change the date of a new habit")
  func ownClockAhead() async throws {
    let bench = try await Workbench.withStore()
    _ = try await run(bench, Self.tuesday, "habit", "add", "Other", "--at", "20:00")
    _ = try await run(bench, "2026-11-23T10:01:00Z", "habit", "add", "Gym", "--at", "18:00")
    #expect(try await done(bench, "Gym", "2026-11-23T10:05:00Z") == "2026-11-23")
  }

  @Test("Nothing fired before a habit existed: snooze exits with 1, and done is for today")
  func beforeItExisted() async throws {
    let bench = try await Workbench.withStore()
    _ = try await run(bench, Self.monday, "habit", "add", "Walk", "--at", "17:00")
    #expect(try await snooze(bench, "Walk", Self.monday) == 1)
    #expect(try await done(bench, "Walk", Self.monday) == "2026-11-23")
  }

  @Test("A reminder that stopped because nothing was recorded did not fire")
  func inactive() async throws {
    let bench = try await Workbench.withStore()
    _ = try await run(
      bench, Self.monday, "habit", "add", "Walk", "--at", "17:00", "--unless", "done")
    #expect(try await done(bench, "Walk", "2026-12-24T10:00:00Z") == "2026-12-24")
  }

  @Test(
    "A reminder that no device was allowed to show did not fire",
    arguments: ["alerts", "permission"])
  func blocked(by switched: String) async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Read"] {
      _ = try await run(bench, Self.monday, "habit", "add", title, "--at", "17:00")
    }
    let off = switched == "alerts" ? ["alerts", "off"] : ["permission", "revoke"]
    let on = switched == "alerts" ? ["alerts", "on"] : ["permission", "grant"]
    func turn(_ verb: [String], _ now: String) async throws {
      let answer = try await bench.start(verb, now: now, zone: Self.zone).answer()
      #expect(answer.status == 0, "\(answer)")
    }
    try await turn(["permission", "grant"], Self.monday)
    try await turn(["alerts", "on"], Self.monday)
    try await turn(off, "2026-11-23T16:59:00Z")
    #expect(try await snooze(bench, "Walk", "2026-11-23T17:05:00Z") == 1)
    #expect(try await done(bench, "Walk", Self.tuesday) == "2026-11-24")
    // Alerts that were turned off after it fired, or on only one of two devices, do not count.
    try await turn(on, "2026-11-24T10:30:00Z")
    try await turn(off, "2026-11-24T17:01:00Z")
    #expect(try await done(bench, "Read", "2026-11-25T01:00:00Z") == "2026-11-24")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    _ = try await run(
      bench, "2026-11-25T10:01:00Z", "sync", bench.path("phone"), bench.path("watch"))
    #expect(try await snooze(bench, "Walk", "2026-11-25T17:05:00Z") == 0)
  }

  @Test("A reminder with a receipt fired, whatever is known of its schedule and device")
  func shown() async throws {
    let bench = try await Workbench.withStore()
    _ = try await run(bench, Self.tuesday, "habit", "add", "Other", "--at", "20:00")
    _ = try await run(bench, Self.monday, "habit", "add", "Walk", "--at", "17:00")
    let pending = try await bench.json("pending", now: Self.monday, zone: Self.zone)["pending"]
    let walk = pending?.list.first { $0["title"]?.text == "Walk" }
    let id = try #require(walk?["id"]?.text, "\(String(describing: pending))")
    let delivered = try await run(bench, "2026-11-23T17:01:00Z", "receipt", "delivered", id)
    #expect(delivered.status == 0, "\(delivered)")
    #expect(try await snooze(bench, "Walk", "2026-11-23T17:05:00Z") == 0)
    #expect(try await done(bench, "Walk", "2026-11-24T01:00:00Z") == "2026-11-23")
  }

  @Test("A reminder that was snoozed past midnight is for the day before")
  func overMidnight() async throws {
    let bench = try await Workbench.withStore()
    _ = try await run(bench, Self.monday, "habit", "add", "Pills", "--at", "23:55")
    #expect(try await snooze(bench, "Pills", "2026-11-23T23:56:00Z") == 0)
    #expect(try await done(bench, "Pills", "2026-11-24T00:05:00Z") == "2026-11-23")
  }
}
