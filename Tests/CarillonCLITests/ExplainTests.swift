import Testing

/// What `explain` and the empty answer of `pending` tell, in words and with values.
struct ExplainTests {
  private static let monday = "2026-10-19T08:00:00+02:00"

  /// A phone that may remind.
  private func phone() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", "grant", now: Self.monday)
    try await bench.run("alerts", "on", now: Self.monday)
    return bench
  }

  private func explained(
    _ bench: Workbench, _ habit: String, on date: String? = nil, store: String = "phone",
    now: String = Self.monday
  ) async throws -> Document {
    let flags = date.map { ["--on", $0] } ?? []
    let answer = try await bench.start(
      ["explain", habit, "--json"] + flags, store: store, now: now
    )
    .answer().document()
    return try #require(answer["occurrences"]?[0], "\(answer)")
  }

  @Test("A watch tells that the phone reminds, and not that nothing was recorded")
  func otherDevice() async throws {
    let bench = try await phone()
    try await bench.run(
      "habit", "add", "Walk", "--at", "17:00", "--unless", "done", now: Self.monday)
    try await bench.run("plan", "--apply", bench.path("system"), now: Self.monday)
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch",
      now: Self.monday)
    let later = "2026-10-21T08:00:00+02:00"
    let pending = try await bench.run("pending", store: "watch", now: later).output
    #expect(pending.contains("the phone reminds; this is the watch"), "\(pending)")
    #expect(!pending.contains("active"), "\(pending)")
    let walk = try await explained(bench, "Walk", store: "watch", now: later)
    #expect(walk["reason"]?.text == "otherDevice")
    #expect(walk["detail"]?.text == "the phone reminds; this is the watch", "\(walk)")
    let own = try await bench.json("status", now: later)["replica"]?["id"]?.text
    #expect(walk["replica"]?.text == own, "\(walk)")
  }

  @Test("A repeat is listed with its own time, also on a date that is done")
  func repeats() async throws {
    let bench = try await phone()
    try await bench.run(
      "habit", "add", "Tea", "--at", "23:55", "--repeat", "2x10m", "--unless", "done",
      now: Self.monday)
    func times() async throws -> [String] {
      try await bench.run("explain", "Tea", now: Self.monday).output.split(separator: "\n")
        .dropFirst(2).map { line in String(line.split(separator: "  ")[0]) }
    }
    #expect(try await times() == ["23:55", "Tue 20 Oct 00:05", "Tue 20 Oct 00:15"])
    try await bench.run("done", "Tea", now: Self.monday)
    #expect(try await times() == ["23:55", "Tue 20 Oct 00:05", "Tue 20 Oct 00:15"])
  }

  @Test("A quota that is met is explained with what is done, of what, and when")
  func quota() async throws {
    let bench = try await phone()
    try await bench.run(
      "habit", "add", "Gym", "--at", "18:00", "--quota", "3/week", now: "2026-10-12T08:00:00+02:00")
    for date in ["2026-10-12", "2026-10-13", "2026-10-16"] {
      try await bench.run("done", "Gym", "--on", date, now: "2026-10-17T08:00:00+02:00")
    }
    let met = try await explained(bench, "Gym", now: "2026-10-17T09:00:00+02:00")
    #expect(met["reason"]?.text == "quotaMet" && met["done"]?.number == 3, "\(met)")
    #expect(met["detail"]?.text == "3 of 3 this week are done" && met["of"]?.number == 3, "\(met)")
    let then = try await explained(bench, "Gym", on: "2026-10-18", now: "2026-10-26T09:00:00+01:00")
    #expect(
      then["detail"]?.text
        == "3 of 3 in the week of Mon 12 Oct were done; no device recorded that it fired", "\(then)"
    )
  }

  @Test("A pause is explained with its end and the way to end it")
  func paused() async throws {
    let bench = try await phone()
    try await bench.run("habit", "add", "Walk", "--at", "17:00", now: Self.monday)
    try await bench.run("habit", "pause", "Walk", "--to", "2026-10-26", now: Self.monday)
    let walk = try await explained(bench, "Walk")
    #expect(walk["until"]?.text == "2026-10-26", "\(walk)")
    #expect(
      walk["detail"]?.text
        == "paused until the end of Mon 26 Oct; to resume: carillon habit resume Walk",
      "\(walk)")
  }

  @Test("A server never reminds, and says so wherever it is asked")
  func server() async throws {
    let bench = try Workbench()
    let made = try await bench.run("init", "--replica", "srv", "--role", "server", store: "srv")
    #expect(made.status == 0, "\(made)")
    try await bench.run("habit", "add", "Tea", "--at", "17:00", store: "srv")
    for verb in [["permission", "grant"], ["alerts", "on"]] {
      let answer = try await bench.start(verb, store: "srv").answer()
      #expect(answer.errors.contains("a server, which never reminds"), "\(verb): \(answer)")
      let json = try await bench.start(verb + ["--json"], store: "srv").answer().document()
      #expect(json["warnings"]?.list.count == 1, "\(json)")
    }
    let tea = try await explained(bench, "Tea", store: "srv", now: Workbench.now)
    #expect(tea["reason"]?.text == "noDevice", "\(tea)")
    #expect(tea["detail"]?.text?.contains("a server never reminds") == true, "\(tea)")
    for verb in ["status", "pending"] {
      let answer = try await bench.run(verb, store: "srv").output
      #expect(answer.contains("server"), "\(answer)")
    }
  }

  @Test("explain says that a habit has no reminder, and what to do")
  func noReminder() async throws {
    let bench = try await phone()
    try await bench.run("habit", "add", "Plain")
    let plain = try await bench.run("explain", "Plain").output
    #expect(plain.contains("has no reminders. To add one: carillon schedule add Plain"), "\(plain)")
    try await bench.run("habit", "add", "Stretch", "--on", "mon-fri", "--at", "11:00")
    let sunday = try await bench.json("explain", "Stretch", "--on", "2026-11-29")
    #expect(sunday["occurrences"] == .list([]))
    #expect(sunday["detail"]?.text?.contains("no reminder on Sun 29 Nov") == true, "\(sunday)")
  }

  @Test("explain has no time for a reminder that will not fire, and says what moves one that will")
  func times() async throws {
    // Made before its habits, so that their reminders count from the start.
    let bench = try Workbench()
    for line in [["init", "--replica", "phone"], ["permission", "grant"], ["alerts", "on"]] {
      _ = try await bench.start(line, now: Self.monday).answer()
    }
    func lines(_ habit: String, on date: String) async throws -> [String] {
      try await bench.run("explain", habit, "--on", date, now: Self.monday).output
        .split(separator: "\n").dropFirst(2).map(String.init)
    }
    let add = ["habit", "add"]
    for habit in [
      ["Walk", "--at", "17:00", "--unless", "done"], ["Read", "--at", "23:00"],
      ["Early", "--at", "22:30,23:30"],
    ] {
      _ = try await bench.start(add + habit, now: Self.monday).answer()
    }
    try await bench.run("settings", "set", "quietHours", "22:00-07:00", now: Self.monday)
    try await bench.run("done", "Walk", "--on", "2026-10-20", now: Self.monday)
    #expect(
      try await lines("Walk", on: "2026-10-19") == ["17:00  Mon 19 Oct 17:00  it will fire"])
    #expect(try await lines("Walk", on: "2026-10-20") == ["17:00  —      the date is done"])
    #expect(
      try await lines("Read", on: "2026-10-19")
        == ["23:00  Tue 20 Oct 07:00  it will fire when quiet hours end"])
    let early = try await lines("Early", on: "2026-10-19")
    #expect(early.first?.hasPrefix("22:30  —                 another reminder") == true, "\(early)")
    #expect(early.last?.hasSuffix("it will fire when quiet hours end") == true, "\(early)")
    let moved = try await explained(bench, "Read", on: "2026-10-19")
    #expect(moved["movedBy"]?.text == "quietHours", "\(moved)")

    let snooze = try await bench.run(
      "snooze", "Walk", "--for", "1h", now: "2026-10-19T17:05:00+02:00")
    #expect(snooze.status == 0, "\(snooze)")
    let snoozed = try await explained(bench, "Walk", now: "2026-10-19T17:06:00+02:00")
    #expect(snoozed["fireAt"]?.text == "2026-10-19T18:05:00+02:00", "\(snoozed)")
    #expect(snoozed["detail"]?.text == "it will fire, since it was snoozed until then")
    try await bench.run("alerts", "off", now: "2026-10-19T17:10:00+02:00")
    #expect(
      try await lines("Walk", on: "2026-10-21")
        == [
          "17:00  —      planned, but reminders are off on this device",
          "Reminders are off on this device: alerts are off. Next: carillon alerts on",
        ])
  }

  @Test("What fired is explained by its receipt, whatever the settings are now")
  func past() async throws {
    let bench = try await phone()
    let evening = "2026-10-25T20:00:00+01:00"
    try await bench.run("habit", "add", "Read", "--at", "23:00", "--unless", "done", now: evening)
    try await bench.run("plan", "--apply", bench.path("system"), now: evening)
    let next = "2026-10-26T06:00:00+01:00"
    try await bench.run("settings", "set", "quietHours", "22:00-07:00", now: next)
    let read = try await explained(bench, "Read", on: "2026-10-25", now: next)
    #expect(read["reason"]?.text == "delivered" && read["state"]?.text == "presumed", "\(read)")
    #expect(read["fireAt"]?.text == "2026-10-25T23:00:00+01:00", "\(read)")
    let text = try await bench.run("explain", "Read", "--on", "2026-10-25", now: next).output
    #expect(text.contains("Sun 25 Oct 23:00  presumed delivered"), "\(text)")
  }

  @Test("Of a past reminder without a receipt, explain says that it is not known whether it fired")
  func unknown() async throws {
    let bench = try await phone()
    let early = "2026-10-10T08:00:00+02:00"
    try await bench.run("habit", "add", "Iron", "--at", "18:00", "--unless", "done", now: early)
    let evening = "2026-10-19T18:20:00+02:00"
    let before = try await explained(bench, "Iron", now: evening)
    #expect(before["reason"]?.text == "past" && before["fireAt"] == .null, "\(before)")
    #expect(before["detail"]?.text == "no device recorded whether it fired", "\(before)")
    let log = try await bench.log()
    #expect(try await bench.run("snooze", "Nobody", now: evening).status != 0)
    #expect(try await bench.log() == log)
    #expect(try await explained(bench, "Iron", now: evening) == before)
  }
}
