import Testing

/// Verbs that refuse, or have nothing to do.
struct RefusedVerbTests {
  private static let tomorrow = "2026-11-24T12:00:00+01:00"

  @Test("A verb that ends with another exit code than 0 leaves the log as it was")
  func refused() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--once", "2026-11-25T17:00")
    try await bench.run("permission", "grant")
    let file = try bench.write("not an event", to: "bad.ndjson")
    let verbs: [[String]] = [
      ["snooze", "Walk"], ["snooze", "Walk", "--for", "1s"], ["snooze", "Nobody"],
      ["done", "Nobody"], ["done", "Walk", "--amount", "0"], ["done", "Walk", "--on", "soon"],
      ["undo", "Nobody"], ["skip", "Nobody"], ["note", "Nobody", "text"],
      ["habit", "add", " "], ["habit", "add", "Tea", "--at", "25:00"],
      ["habit", "edit", "Nobody", "--title", "x"], ["habit", "edit", "Walk", "--title", ""],
      ["habit", "archive", "Nobody"], ["habit", "delete", "Nobody"],
      ["habit", "pause", "Walk", "--to", "1999-01-01"], ["habit", "resume", "Nobody"],
      ["schedule", "add", "Nobody", "--at", "17:00"], ["schedule", "remove", "00000000"],
      ["permission", "ask"], ["permission", "prime", "--no"], ["permission", "token", "xyz"],
      ["permission", "grant", "--options", "smell"], ["alerts"], ["alerts", "maybe"],
      ["receipt", "opened", "c1.nothing"], ["receipt", "acted", "c1.nothing", "--action", "done"],
      ["receipts", "erase"], ["receipts", "--limit", "0"], ["receipts", "--state", "lost"],
      ["settings", "set", "quietHours", "noon"], ["settings", "set", "colour", "red"],
      ["ingest", "--source", "feed", file], ["receive", bench.path("missing")],
      ["append", file], ["import", file], ["log", "--after", "-1"], ["show", "phone@999"],
      ["explain", "Nobody"], ["pending", "--days", "0"], ["plan"],
      ["replicas", "close", "nobody@1"], ["sync", bench.path("missing")],
    ]
    let before = try await bench.log()
    for verb in verbs {
      let answer = try await bench.start(verb, now: Self.tomorrow).answer()
      #expect(answer.status != 0, "\(verb): \(answer)")
      #expect(try await bench.log() == before, "\(verb): \(answer)")
    }
  }

  @Test("A verb with nothing to do writes nothing, and active writes the use of the app")
  func empty() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("done", "Walk", "--on", "2026-11-23")
    try await bench.run("skip", "Walk", "--on", "2026-11-20")
    let before = try await bench.log()
    for verb in [
      ["done", "Walk", "--on", "2026-11-23"], ["skip", "Walk", "--on", "2026-11-20"],
      ["undo", "Walk", "--on", "2026-11-01"], ["habit", "resume", "Walk"],
      ["habit", "unarchive", "Walk"], ["settings", "set", "quietHours", "none"],
    ] {
      let answer = try await bench.start(verb, now: Self.tomorrow).answer()
      #expect(answer.status == 0, "\(verb): \(answer)")
      #expect(try await bench.log() == before, "\(verb): \(answer)")
    }
    let active = try await bench.json("active", now: Self.tomorrow)
    #expect(active["events"]?.list.compactMap { $0["type"]?.text } == ["app.active"])
  }

  @Test("diff refuses another computer's store, and plan two files, and both say what to do")
  func wrongPlaces() async throws {
    let bench = try await Workbench.withStore()
    let remote = try await bench.run("diff", bench.path("phone"), "ssh://host/~/phone")
    #expect(remote.status == 64 && remote.errors.contains("clone ssh://host/~/phone"), "\(remote)")
    let two = try await bench.run("plan", "--against", "a", "--apply", "b")
    #expect(two.status == 64 && two.errors.contains("cannot be used together"), "\(two)")
  }
}
