import Testing

/// The problems that `status` reports under health.
struct HealthTests {
  @Test("A schedule with an unknown rule or zone plans nothing, and is listed in health once")
  func unplanned() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00")
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
}
