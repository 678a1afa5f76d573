import Testing

/// Reports of replicas whose clocks are ahead.
struct ClockSkewTests {
  @Test("Of two replicas with future events, only the one whose clock was ahead is reported")
  func named() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Walk")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    let ahead = "2027-11-23T12:00:00+01:00"
    for habit in ["Read", "Run"] {
      try await bench.run("habit", "add", habit, store: "watch", now: ahead)
    }
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    for date in ["2026-11-21", "2026-11-22"] { try await bench.run("done", "Walk", "--on", date) }
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    for store in ["phone", "watch"] {
      let status = try await bench.json("status", store: store)
      #expect(status["clockSkew"]?.list.map { $0["name"]?.text } == ["watch"], "\(status)")
      let reported =
        status["health"]?.list.compactMap(\.text).filter { $0.contains("ahead of") } ?? []
      let subject = store == "watch" ? "this device" : "watch"
      #expect(
        reported.count == 1 && reported[0].hasPrefix("\(subject) wrote 365 days ahead"),
        "\(reported)")
    }
    let lines = try await bench.run("replicas").output.split(separator: "\n")
    #expect(lines.first { $0.hasPrefix("phone") }?.contains("after an event of") == true)
    // By the later clock there is nothing to report.
    let later = try await bench.json("status", now: "2027-11-23T12:01:00+01:00")
    #expect(later["clockSkew"] == .list([]))
  }
}
