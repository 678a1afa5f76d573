import Foundation
import Testing

/// Commands report what was recorded: what `watch` showed, what it could not show, and what
/// the person did afterwards.
struct ToldAsRecordedTests {
  /// A desktop that may remind, with a habit.
  private func desk(_ habit: [String]) async throws -> Workbench {
    let bench = try await Workbench.withStore("desk")
    for verb in [["habit", "add"] + habit, ["permission", "grant"], ["alerts", "on"]] {
      _ = try await bench.start(verb, store: "desk", now: Self.at("07:00")).answer()
    }
    return bench
  }

  private static func at(_ time: String, _ day: Int = 23) -> String {
    "2026-11-\(day)T\(time):00+01:00"
  }

  /// Runs `watch --once` with a command that shows a notification, or refuses it.
  @discardableResult
  private func watch(
    _ bench: Workbench, _ time: String, _ day: Int = 23, by notifier: String = "/bin/true"
  ) async throws -> Answer {
    try await bench.start(
      ["watch", "--once"], store: "desk", now: Self.at(time, day),
      with: ["CARILLON_NOTIFY": notifier]
    ).answer()
  }

  private func states(
    _ bench: Workbench, _ time: String, _ day: Int = 23
  ) async throws -> [String] {
    let answer = try await bench.start(
      ["receipts", "--json"], store: "desk", now: Self.at(time, day)
    ).answer().document()
    return answer["receipts"]?.list.compactMap { $0["state"]?.text } ?? []
  }

  private func explained(
    _ bench: Workbench, _ habit: String, _ time: String, _ day: Int = 23
  ) async throws -> Document {
    let answer = try await bench.start(
      ["explain", habit, "--json"], store: "desk", now: Self.at(time, day)
    ).answer().document()
    return try #require(answer["occurrences"]?[0], "\(answer)")
  }

  @Test(
    "A snoozed reminder that watch shows late is a delivery, also if it was refused first",
    arguments: [false, true])
  func snoozed(isRefused: Bool) async throws {
    let bench = try await desk(["Bun", "--at", "9:00", "--unless", "done"])
    try await watch(bench, "08:00")
    try await watch(bench, "09:05")
    try await bench.run("snooze", "Bun", store: "desk", now: Self.at("09:10"))
    if isRefused {
      #expect(try await watch(bench, "09:30", by: "/bin/false").status == 69)
      #expect(try await states(bench, "09:31") == ["delivered"])
    }
    #expect(try await watch(bench, "09:40").status == 0)
    #expect(try await states(bench, "09:41") == ["delivered", "delivered"])
  }

  @Test("What watch could not show is not delivered, with the reason, until it is shown")
  func refused() async throws {
    for flags in [[], ["--unless", "done"]] {
      let bench = try await desk(["Day", "--at", "9:40"] + flags)
      try await watch(bench, "08:00")
      for time in ["09:45", "09:50"] {
        #expect(try await watch(bench, time, by: "/bin/false").status == 69)
        #expect(try await states(bench, "09:51").isEmpty)
      }
      let day = try await explained(bench, "Day", "09:51")
      #expect(day["reason"]?.text == "past", "\(day)")
      #expect(
        day["detail"]?.text
          == "not delivered: /bin/false did not show \"Day\": it exited with 1", "\(day)")
      try await watch(bench, "09:55")
      #expect(try await states(bench, "09:56") == ["delivered"])
      #expect(try await explained(bench, "Day", "09:56")["detail"]?.text == "delivered")
      // The next date is not affected.
      try await watch(bench, "09:45", 24)
      #expect(try await states(bench, "09:46", 24) == ["delivered", "delivered"])
    }
  }

  @Test("explain keeps the delivery of a reminder whose snooze was ended by done or skip")
  func ended() async throws {
    for (verb, word) in [("done", "done"), ("skip", "skipped")] {
      let bench = try await desk(["Walk", "--at", "18:00", "--unless", "done"])
      try await watch(bench, "08:00")
      try await watch(bench, "18:00")
      try await bench.run("snooze", "Walk", store: "desk", now: Self.at("18:05"))
      let snoozed = try await explained(bench, "Walk", "18:06")
      #expect(snoozed["reason"]?.text == "planned", "\(snoozed)")
      #expect(
        snoozed["detail"]?.text
          == "delivered Mon 23 Nov 18:00; it will fire, since it was snoozed until then",
        "\(snoozed)")
      try await bench.run(verb, "Walk", store: "desk", now: Self.at("18:07"))
      let walk = try await explained(bench, "Walk", "18:08")
      #expect(walk["reason"]?.text == "delivered", "\(walk)")
      #expect(walk["fireAt"]?.text == Self.at("18:00"), "\(walk)")
      #expect(walk["detail"]?.text == "delivered; the date is \(word)", "\(walk)")
    }
  }

  @Test("watch --once says what it delivered, and when the next reminder fires")
  func once() async throws {
    let bench = try await desk(["Bun", "--at", "9:00", "--unless", "done"])
    let before = try await watch(bench, "08:00")
    #expect(before.output.isEmpty)
    #expect(
      before.errors == "Nothing was due; the next reminder fires on Mon 23 Nov 09:00.\n")
    let shown = try await watch(bench, "09:05")
    #expect(shown.errors == "Delivered: Bun; the next reminder fires on Tue 24 Nov 09:00.\n")
    let refused = try await watch(bench, "09:05", 24, by: "/bin/false").errors
    #expect(refused.contains("Nothing was delivered; the next"), "\(refused)")
  }

  @Test("skip writes nothing for a date that is done, and says how to take that back")
  func skipDone() async throws {
    let bench = try await desk(["Walk", "--at", "18:00"])
    try await bench.run("done", "Walk", store: "desk", now: Self.at("08:00"))
    let log = try await bench.log("desk")
    let one = try await bench.run("skip", "Walk", store: "desk", now: Self.at("08:01")).output
    #expect(one.hasPrefix("Not skipped, since it is done: Walk. To take that back: "), "\(one)")
    #expect(one.contains("carillon undo Walk --on 2026-11-23"), "\(one)")
    #expect(try await bench.log("desk") == log)
    let two = try await bench.run(
      "skip", "Walk", "--from", "2026-11-23", "--to", "2026-11-24", store: "desk",
      now: Self.at("08:02")
    ).output
    #expect(two.contains("1 of them is done and stays so"), "\(two)")
    try await bench.run("undo", "Walk", "--on", "2026-11-23", store: "desk", now: Self.at("08:03"))
    let now = try await bench.run("skip", "Walk", store: "desk", now: Self.at("08:04")).output
    #expect(now.hasPrefix("Skipped: Walk"), "\(now)")
  }

  @Test("receipts list names a notification of another time by its date and time in words")
  func receiptNames() async throws {
    let bench = try await desk(["Bun", "--at", "9:00", "--unless", "done"])
    try await watch(bench, "08:00")
    try await watch(bench, "09:05")
    try await bench.run("snooze", "Bun", store: "desk", now: Self.at("09:10"))
    try await watch(bench, "09:30")
    let list = try await bench.run("receipts", store: "desk", now: Self.at("09:31")).output
    #expect(list.contains("Bun of Mon 23 Nov 09:00"), "\(list)")
    #expect(!list.contains("2026-11-23"), "\(list)")
  }

  @Test("A change of quiet hours moves nothing that fired: snooze and done take what was delivered")
  func quietHours() async throws {
    let bench = try await desk(["Read", "--at", "22:30"])
    try await watch(bench, "22:00")
    try await watch(bench, "22:31")
    for hours in ["22:00-07:00", "none"] {
      try await bench.run(
        "settings", "set", "quietHours", hours, store: "desk", now: Self.at("23:00"))
      let done = try await bench.run("done", "Read", store: "desk", now: Self.at("08:00", 24))
      #expect(done.output.hasPrefix("Done: Read on Mon 23 Nov"), "\(hours) \(done)")
      try await bench.run("undo", "Read", store: "desk", now: Self.at("08:01", 24))
      let snoozed = try await bench.run("snooze", "Read", store: "desk", now: Self.at("08:02", 24))
      #expect(snoozed.output.hasPrefix("Read (Mon 23 Nov 22:30)"), "\(hours) \(snoozed)")
    }
  }

  @Test("A reminder some time after its date was done can be skipped: its snooze ends")
  func skipAfterDone() async throws {
    let bench = try await desk(["Pill", "--after-done", "4h"])
    try await bench.run("done", "Pill", store: "desk", now: Self.at("08:00"))
    try await watch(bench, "09:00")
    try await watch(bench, "12:01")
    try await bench.run("snooze", "Pill", store: "desk", now: Self.at("12:02"))
    let skipped = try await bench.run("skip", "Pill", store: "desk", now: Self.at("12:03"))
    #expect(skipped.output.contains("Not skipped, since it is done: Pill"), "\(skipped)")
    #expect(skipped.output.contains("12:17"), "\(skipped)")
    try await watch(bench, "12:30")
    #expect(try await states(bench, "12:31") == ["delivered"])
  }
}
