import Testing

/// The problems that `status` reports under health.
struct HealthTests {
  @Test("A schedule with an unknown rule or zone plans nothing, and is listed in health once")
  func unplanned() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.allowReminders()
    #expect(try await bench.json("status")["health"] == .list([]))
    let known = try await bench.json("pending")["pending"]?.list.count
    let schedules = [
      #""rule":{"weekly":["mon"]},"times":["08:00"],"zone":"Mars/Base""#,
      #""rule":{"recurrence":"DTSTART;TZID=Mars/Olympus:20261124T080000\nRRULE:FREQ=DAILY"}"#,
      #""rule":{"unknown":40,"bytes":"wgIA"}"#,
    ]
    let lines = schedules.enumerated().map { index, fields in
      #"{"type":"schedule.set","habit":"\#(walk)","#
        + #""schedule":"00000000-0000-4000-8000-00000000000\#(index)",\#(fields)}"# + "\n"
    }
    let appended = try await bench.run("append", "-", input: lines.joined())
    #expect(appended.status == 0, "\(appended)")
    let health = try await bench.json("status")["health"]?.list.compactMap(\.text) ?? []
    #expect(health.count == 3 && health.allSatisfy { $0.hasPrefix("Walk: ") }, "\(health)")
    for name in ["Mars/Base", "Mars/Olympus", "kind 40"] {
      #expect(health.count { $0.contains(name) } == 1, "\(name) \(health)")
    }
    #expect(try await bench.json("pending")["pending"]?.list.count == known)
    // Unknown values are shown as they were written.
    let shown = try await bench.json("habit", "show", "Walk")["schedules"]?.list.map { $0["rule"] }
    let kept = shown?.compactMap { $0?["bytes"]?.text }
    #expect(kept == ["wgIA"], "\(String(describing: shown))")
    try await bench.run("habit", "delete", "Walk")
    #expect(try await bench.json("status")["health"] == .list([]))
  }

  private func health(
    _ bench: Workbench, store: String = "phone", now: String = Workbench.now
  ) async throws -> [String] {
    try await bench.json("status", store: store, now: now)["health"]?.list.compactMap(\.text) ?? []
  }

  @Test("While no device may deliver, status reports it with the next step")
  func blocked() async throws {
    let bench = try await Workbench.withStore()
    #expect(try await health(bench).isEmpty)
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    for (verb, words, next) in [
      ([], "notifications are not allowed on this one yet", "carillon permission grant"),
      (["permission", "deny"], "not allowed on this one,", "the system's settings"),
      (["permission", "grant"], "alerts are off", "carillon alerts on"),
    ] {
      if !verb.isEmpty { _ = try await bench.start(verb).answer() }
      let found = try await health(bench)
      #expect(found.contains { $0.contains(words) }, "\(verb): \(found)")
      #expect(found.contains { $0.contains(next) }, "\(verb): \(found)")
    }
    try await bench.run("alerts", "on")
    #expect(try await health(bench).isEmpty)
    let status = try await bench.run("status").output
    #expect(status.contains("this device reminds") && status.contains("no problems"), "\(status)")
  }

  @Test("A plan that ran out and a device that was not heard of are problems")
  func late() async throws {
    let bench = try await Workbench.withStore()
    for verb in [["permission", "grant"], ["alerts", "on"]] {
      _ = try await bench.start(verb).answer()
    }
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    try await bench.run("plan", "--apply", bench.path("system"))
    #expect(try await health(bench).isEmpty)
    let later = "2027-03-28T02:15:00+02:00"
    let found = try await health(bench, now: later)
    #expect(found.contains { $0.hasPrefix("the plan ran out") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("watch was not heard of for 124 days") }, "\(found)")
    let other = try await bench.run("status", store: "watch").output
    #expect(other.contains("the phone reminds; this is the watch"), "\(other)")
  }
}
