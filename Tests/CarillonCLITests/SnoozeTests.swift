import Testing

/// Snoozed reminders.
struct SnoozeTests {
  private static let afterRinging = "2026-11-23T17:05:00+01:00"

  @Test("A snooze moves the last reminder on every replica, until it is undone")
  func snooze() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    let snoozed = try await bench.json("snooze", "Walk", "--for", "15m", now: Self.afterRinging)
    #expect(snoozed["habit"]?.text == walk)
    #expect(snoozed["snoozed"]?["nominal"]?.text == "2026-11-23T17:00")
    #expect(snoozed["snoozed"]?["until"]?.text == "2026-11-23T17:20:00+01:00")
    #expect(snoozed["events"]?.list.last?["type"]?.text == "snooze.set")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    for store in ["phone", "watch"] {
      let pending = try await bench.json("pending", store: store, now: Self.afterRinging)["pending"]
      #expect(pending?[0]?["fireAt"]?.text == "2026-11-23T17:20:00+01:00", "\(store)")
      #expect(pending?[0]?["nominal"]?.text == "2026-11-23T17:00", "\(store)")
    }
    try await bench.run("done", "Walk", now: Self.afterRinging)
    let done = try await bench.json("pending", now: Self.afterRinging)["pending"]
    #expect(done?[0]?["nominal"]?.text == "2026-11-24T17:00")
  }

  @Test("If nothing fired recently, snooze exits with 1, but records the app's use")
  func nothing() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--once", "2026-11-25T17:00")
    let tomorrow = "2026-11-24T12:00:00+01:00"
    let answer = try await bench.json("snooze", "Walk", now: tomorrow)
    #expect(answer["snoozed"] == .null)
    #expect(answer["events"]?.list.compactMap { $0["type"]?.text } == ["app.active"])
    let again = try await bench.run("snooze", "Walk", now: tomorrow)
    #expect(again.status == 1 && again.output.contains("Nothing to snooze"), "\(again)")
    for duration in ["59s", "366d", "soon", "-5m"] {
      #expect(try await bench.run("snooze", "Walk", "--for", duration).status == 65, "\(duration)")
    }
    #expect(try await bench.run("snooze", "Nobody").status == 66)
  }

  @Test("A snooze past the next reminder has no effect, and a warning reports it")
  func inVain() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00,18:00")
    let answer = try await bench.run("snooze", "Walk", "--for", "1h", now: Self.afterRinging)
    #expect(answer.status == 0 && answer.errors.contains("has no effect"), "\(answer)")
    #expect(answer.errors.contains("it next fires at Mon 23 Nov 18:00"), "\(answer)")
    let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]
    #expect(pending?[0]?["fireAt"]?.text == "2026-11-23T18:00:00+01:00")
  }

  @Test("The warning of a snooze without effect names the next reminder that will fire")
  func noEffectBeforeSuppression() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "07:30,17:00", "--unless", "done")
    try await bench.run("skip", "Walk", "--on", "2026-11-24", now: Self.afterRinging)
    let answer = try await bench.run("snooze", "Walk", "--for", "1d", now: Self.afterRinging)
    #expect(answer.status == 0 && !answer.errors.contains("24 Nov 07:30"), "\(answer)")
    #expect(answer.errors.contains("it next fires at Wed 25 Nov 07:30"), "\(answer)")
    let json = try await bench.json("snooze", "Walk", "--for", "1d", now: Self.afterRinging)
    #expect(json["snoozed"] == .null)
    #expect(json["warnings"]?[0]?.text?.contains("Wed 25 Nov 07:30") == true, "\(json)")
    try await bench.run("habit", "edit", "Walk", "--end", "2026-11-24", now: Self.afterRinging)
    let last = try await bench.run("snooze", "Walk", "--for", "1d", now: Self.afterRinging)
    #expect(last.errors.contains("nothing is planned for it"), "\(last)")
  }

  @Test("A snooze into quiet hours reports when it fires, or that it is silent")
  func quietHours() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("settings", "set", "quietHours", "17:10-21:00")
    let text = try await bench.run("snooze", "Walk", "--for", "15m", now: Self.afterRinging)
    #expect(text.output.contains("until Mon 23 Nov 17:20"), "\(text)")
    #expect(text.output.contains("Mon 23 Nov 21:00"), "\(text)")
    let json = try await bench.json("snooze", "Walk", now: Self.afterRinging)["snoozed"]
    #expect(json?["fireAt"]?.text == "2026-11-23T21:00:00+01:00" && json?["silent"] == .bool(false))
    let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]
    #expect(pending?[0]?["fireAt"]?.text == json?["fireAt"]?.text)
    // The end of quiet hours is not included.
    let end = try await bench.run("snooze", "Walk", "--for", "235m", now: Self.afterRinging)
    #expect(end.output.contains("until Mon 23 Nov 21:00.\n"), "\(end)")
    try await bench.run("habit", "edit", "Walk", "--quiet-hours", "silent")
    let silent = try await bench.run("snooze", "Walk", now: Self.afterRinging)
    #expect(silent.output.contains("without sound"), "\(silent)")
  }

  @Test("A snooze from a notification moves that reminder")
  func fromNotification() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    let id = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    let acted = try await bench.json(
      "receipt", "acted", id, "--action", "snooze", "--for", "10m", now: Self.afterRinging)
    let types = acted["events"]?.list.compactMap { $0["type"]?.text }
    #expect(types?.contains("snooze.set") == true, "\(acted)")
    let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]?[0]
    #expect(pending?["fireAt"]?.text == "2026-11-23T17:15:00+01:00")
    #expect(pending?["id"]?.text == id)
    let again = "2026-11-23T17:16:00+01:00"
    let delivered = try await bench.json("receipt", "delivered", id, now: again)
    #expect(delivered["events"]?.list.count ?? 0 > 0, "\(delivered)")
    let revisions = try await bench.json("receipts", now: again)["receipts"]?.list
      .compactMap { $0["revision"]?.text }
    #expect(revisions?.sorted() == ["0", "1795450500000"], "\(String(describing: revisions))")
    let refused = try await bench.run("receipt", "acted", id, "--action", "done", "--for", "10m")
    #expect(refused.status == 64, "\(refused)")
  }
}
