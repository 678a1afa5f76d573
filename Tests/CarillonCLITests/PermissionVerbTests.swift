import Foundation
import Testing

/// A device is asked only once, and the app's own screen waits after a "no".
struct PermissionVerbTests {
  @Test("After each no, the app's own screen waits twice as long")
  func priming() async throws {
    let bench = try await Workbench.withStore()
    #expect(try await bench.json("permission")["canPrime"] == .bool(true))
    let first = try await bench.json("permission", "prime", "--no")
    #expect(first["events"]?[0]?["type"]?.text == "permission.asked")
    let early = try await bench.run(
      "permission", "prime", "--yes", now: "2026-12-07T11:59:59+01:00")
    #expect(early.status == 1, "\(early)")
    #expect(early.output.contains("Mon 7 Dec 12:00"), "\(early)")
    let again = "2026-12-07T12:00:00+01:00"
    let shown = try await bench.json("permission", now: "2026-12-01T12:00:00+01:00")
    #expect(shown["canPrime"] == .bool(false))
    #expect(shown["canAsk"] == .bool(true))
    #expect(shown["primeFrom"]?.text == again)
    #expect(try await bench.run("permission", "prime", "--no", now: again).status == 0)
    #expect(
      try await bench.json("permission", now: again)["primeFrom"]?.text
        == "2027-01-04T12:00:00+01:00")
    #expect(try await bench.run("permission", "prime", now: again).status == 1)
    let events = try await bench.log()
    #expect(events.split(separator: "\n").count { $0.contains("permission.asked") } == 2)
  }

  @Test("The waiting time follows the store's settings, and there is none after a yes")
  func settings() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "primingDays", "1")
    try await bench.run("permission", "prime", "--yes")
    try await bench.run("permission", "prime")
    try await bench.run("permission", "prime", "--no")
    let next = "2026-11-24T12:00:00+01:00"
    #expect(try await bench.json("permission")["primeFrom"]?.text == next)
    #expect(try await bench.run("permission", "prime", "--yes", now: next).status == 0)
  }

  @Test(
    "If the system has an answer, the prompt is not shown again",
    arguments: ["grant", "deny", "revoke"])
  func answered(_ verb: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", verb)
    let before = try await bench.log()
    #expect(try await bench.run("permission", "ask").status == 1)
    #expect(try await bench.run("permission", "prime", "--yes").status == 1)
    #expect(try await bench.log() == before)
    #expect(try await bench.json("permission")["canAsk"] == .bool(false))
  }

  @Test("Provisional permission shows reminders, and the prompt can still be shown")
  func provisional() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", "grant", "--provisional", "--options", "alert")
    let shown = try await bench.json("permission")
    #expect(shown["status"]?.text == "provisional")
    #expect(shown["canAsk"] == .bool(true))
    #expect(shown["since"]?.text == Workbench.now)
    #expect(try await bench.run("permission", "ask").status == 0)
    #expect(try await bench.run("permission", "ask").status == 1)
  }

  @Test("The answer says what the verb recorded, and denied and revoked are one state")
  func words() async throws {
    let bench = try await Workbench.withStore()
    for (verb, answer) in [
      (
        "grant",
        """
        Permission is granted. Reminders are off on this device: alerts are off. \
        Next: carillon alerts on

        """
      ), ("revoke", "Permission is revoked.\n"),
      ("deny", "Permission is denied.\n"),
    ] {
      #expect(try await bench.run("permission", verb).output == answer)
    }
    try await bench.run("permission", "grant")
    try await bench.run("permission", "revoke")
    #expect(try await bench.json("permission")["status"]?.text == "denied")
    let help = try await bench.run("permission", "grant", "--help").output
    let words = help.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("one or more of alert, sound, badge"), "\(help)")
  }

  @Test("The days after a no end at the same time of day, also when the clocks change")
  func clocksChange() async throws {
    let bench = try await Workbench.withStore()
    let no = try await bench.run("permission", "prime", "--no", now: "2027-03-20T06:20+01:00")
    #expect(no.output.contains("from Sat 3 Apr 06:20."), "\(no)")
    let early = try await bench.run("permission", "prime", "--no", now: "2027-04-03T06:19+02:00")
    #expect(early.status == 1 && early.output.contains("from Sat 3 Apr 06:20."), "\(early)")
    let then = try await bench.run("permission", "prime", "--yes", now: "2027-04-03T06:20+02:00")
    #expect(then.status == 0, "\(then)")
  }

  @Test("A copy with a new identity waits as its predecessor did")
  func copied() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", "prime", "--no")
    try await bench.run("permission", "prime", "--no", now: "2026-12-07T12:00:00+01:00")
    try bench.copy("phone", to: "copy")
    try await bench.run("active", store: "copy", now: "2026-12-08T12:00:00+01:00")
    let copy = try await bench.json("permission", store: "copy", now: "2026-12-09T12:00:00+01:00")
    #expect(copy["refusals"]?.number == 2)
    #expect(copy["canPrime"] == .bool(false))
  }

  @Test("Each switch can be set alone, and a call without one is refused")
  func switches() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("alerts", "--badge", "on")
    let badge = try await bench.json("permission")
    #expect(badge["badge"] == .bool(true) && badge["alerts"] == .bool(false))
    try await bench.run("alerts", "on", "--badge", "off", "--sound", "on")
    let all = try await bench.json("permission")
    #expect(all["badge"] == .bool(false) && all["alerts"] == .bool(true))
    #expect(all["sound"] == .bool(true))
    #expect(try await bench.run("alerts").status == 64)
  }
}
