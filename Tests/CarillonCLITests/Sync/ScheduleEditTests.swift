import Testing

/// Two devices edit one schedule without knowing of each other.
struct ScheduleEditTests {
  @Test("The watch's time and the phone's later weekdays both hold")
  func bothHold() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let schedule = try #require(
      try await bench.json("habit", "show", "Walk")["schedules"]?[0]?["id"]?.text)
    #expect(
      try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
        .status == 0)
    let onWatch = try await bench.run(
      "schedule", "edit", schedule, "--at", "19:00", store: "watch",
      now: "2026-11-23T12:05:00+01:00")
    #expect(onWatch.status == 0, "\(onWatch)")
    let onPhone = try await bench.run(
      "schedule", "edit", schedule, "--on", "mon,wed,fri", now: "2026-11-23T12:10:00+01:00")
    #expect(onPhone.status == 0, "\(onPhone)")
    #expect(try await bench.run("sync", bench.path("watch")).status == 0)
    for store in ["phone", "watch"] {
      let merged = try await bench.json("habit", "show", "Walk", store: store)["schedules"]?[0]
      #expect(merged?["rule"] == (try Document(json: #"{"weekly":["mon","wed","fri"]}"#)))
      #expect(merged?["times"] == (try Document(json: #"["19:00"]"#)))
    }
  }
}
