import Testing

/// A queue that is too small for all reminders.
struct QueueTests {
  @Test("A place is not taken off the phone by a habit with many reminders, which is named")
  func place() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Gym bag", "--place", "52.52,13.405,200m")
    try await bench.run("plan", "--apply", bench.path("system"))
    let added = try await bench.run(
      "habit", "add", "Water", "--interval", "1h", "--window", "08:00-20:00")
    #expect(added.status == 0 && added.errors.contains("Water does not fit from "), "\(added)")
    let applied = try await bench.run("plan", "--apply", bench.path("system"))
    #expect(applied.output.contains("Water") && !applied.output.contains("removed"), "\(applied)")
    let pending = try await bench.run("pending")
    let lines = pending.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("Gym bag") && $0.contains("at a place") }, "\(pending)")
    #expect(lines.last?.hasPrefix("Water does not fit from ") == true, "\(pending)")
    let status = try await bench.run("status")
    #expect(status.output.contains("Water does not fit from "), "\(status)")
    #expect(!status.output.contains("no problems"), "\(status)")
    let reason = "the system holds 64 notifications, and others come first; each new plan"
    for answer in [added.errors, pending.output, status.output] {
      #expect(answer.contains(": \(reason)"), "\(answer)")
    }
    let far = try await bench.json("explain", "Water", "--on", "2026-11-30")["occurrences"]
    #expect(far?[0]?["reason"]?.text == "overCapacity")
    let detail = far?[0]?["detail"]?.text ?? ""
    #expect(detail.hasPrefix("it does not fit from ") && detail.contains(": \(reason)"), "\(far)")
    #expect(far?[0]?["since"]?.text != nil, "\(far)")
    let json = try await bench.json("pending")
    #expect(json["leftOut"]?.list.compactMap { $0["title"]?.text } == ["Water"])
    #expect(json["leftOut"]?[0]?["since"]?.text == json["coverageUntil"]?.text)
    let explained = try await bench.json("explain", "Gym bag")["occurrences"]
    #expect(explained?[0]?["reason"]?.text == "planned")
    let dentist = try await bench.run("habit", "add", "Dentist", "--once", "2026-11-29T09:30")
    #expect(dentist.status == 0 && dentist.errors.isEmpty, "\(dentist)")
    #expect(try await bench.run("pending").output.contains("Dentist"))
    #expect(!(try await bench.run("today").output.contains("does not fit")))
  }

  @Test("today names what does not fit within a day")
  func soon() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Drops", "--interval", "10m", "--window", "8-20")
    let today = try await bench.run("today").output
    #expect(today.contains("Drops does not fit from "), "\(today)")
  }
}
