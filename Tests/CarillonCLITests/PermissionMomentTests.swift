import Foundation
import Testing

/// Whether a device delivered a reminder depends on its permission at that time.
struct PermissionMomentTests {
  private func reason(_ bench: Workbench, _ date: String, at now: String) async throws -> String? {
    let answer = try await bench.json("explain", "Pills", "--on", date, now: now)
    return answer["occurrences"]?[0]?["reason"]?.text
  }

  @Test("A later change of permission does not change which reminders fired")
  func later() async throws {
    let bench = try await Workbench.withStore()
    let start = "2026-11-23T06:00Z"
    try await bench.run("permission", "grant", now: start)
    try await bench.run("alerts", "on", now: start)
    try await bench.run(
      "habit", "add", "Pills", "--at", "17:00", "--unless", "done", now: start)
    try await bench.run("plan", "--apply", bench.path("system"), now: "2026-11-23T08:00Z")
    #expect(try await reason(bench, "2026-11-23", at: "2026-11-23T19:00Z") == "delivered")
    try await bench.run("permission", "revoke", now: "2026-11-24T09:00Z")
    #expect(try await reason(bench, "2026-11-23", at: "2026-11-24T19:00Z") == "delivered")
    try await bench.run("permission", "grant", now: "2026-11-25T09:00Z")
    #expect(try await reason(bench, "2026-11-24", at: "2026-11-25T10:00Z") == "past")
    let receipts = try await bench.json("receipts", now: "2026-11-25T10:00Z")["receipts"]
    let presumed = receipts?.list.filter { $0["state"]?.text == "presumed" } ?? []
    #expect(presumed.compactMap { $0["at"]?.text } == ["2026-11-23T17:00:00+01:00"])
  }

  @Test("The watch reminds only of what did not fire on the phone")
  func twoDevices() async throws {
    for isDenied in [false, true] {
      let bench = try await Workbench.withStore()
      func run(_ zone: String, _ now: String, _ store: String, _ verb: [String]) async throws
        -> Answer
      {
        try await bench.start(verb, store: store, now: now, zone: zone).answer()
      }
      let (tokyo, start) = ("Asia/Tokyo", "2026-05-31T10:00+09:00")
      func sync(_ now: String) async throws {
        let answer = try await run(tokyo, now, "watch", ["sync", bench.path("phone")])
        #expect(answer.status == 0, "\(answer)")
      }
      _ = try await run(tokyo, start, "phone", ["permission", "grant"])
      _ = try await run(tokyo, start, "phone", ["alerts", "on"])
      _ = try await run(tokyo, start, "phone", ["habit", "add", "Pills", "--at", "08:00"])
      // A single request, so that it has a time.
      _ = try await run(
        tokyo, start, "phone", ["habit", "edit", "Pills", "--stop-after", "90"])
      let clone = try await run(
        tokyo, start, "phone",
        [
          "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role",
          "watch",
        ])
      #expect(clone.status == 0, "\(clone)")
      _ = try await run(tokyo, start, "watch", ["permission", "grant"])
      _ = try await run(tokyo, start, "watch", ["alerts", "on"])
      _ = try await run(
        tokyo, "2026-05-31T11:00+09:00", "phone", ["plan", "--apply", bench.path("system")])
      try await sync("2026-05-31T11:30+09:00")
      if isDenied {
        _ = try await run(tokyo, "2026-06-01T07:30+09:00", "phone", ["permission", "revoke"])
        _ = try await run(tokyo, "2026-06-01T09:30+09:00", "phone", ["permission", "grant"])
      }
      _ = try await run(tokyo, "2026-06-01T09:31+09:00", "phone", ["permission", "revoke"])
      try await sync("2026-06-01T09:32+09:00")
      let pending = try await bench.json(
        "pending", store: "watch", now: "2026-06-01T12:00Z", zone: "America/Los_Angeles")
      let first = pending["pending"]?.list.first?["nominal"]?.text
      #expect(first == (isDenied ? "2026-06-01T08:00" : "2026-06-02T08:00"), "\(pending)")
    }
  }
}
