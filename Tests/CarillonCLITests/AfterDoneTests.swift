import Testing

/// Reminders some time after a habit was last done.
struct AfterDoneTests {
  @Test("Each done moves the reminder on every replica, undo moves it back, and it fires once")
  func moves() async throws {
    let bench = try await Workbench.withStore()
    let added = try await bench.run("habit", "add", "Pill", "--after-done", "4h")
    #expect(added.output.contains("4 h after it was last done"), "\(added)")
    func fires(_ store: String, at time: String) async throws -> [String?] {
      let now = "2026-11-23T\(time):00+01:00"
      let pending = try await bench.json("pending", store: store, now: now)["pending"]
      return pending?.list.map { $0["fireAt"]?.text } ?? []
    }
    #expect(try await fires("phone", at: "12:01") == [])
    try await bench.run("done", "Pill", now: "2026-11-23T13:00:00+01:00")
    #expect(try await fires("phone", at: "13:01") == ["2026-11-23T17:00:00+01:00"])
    // Each one is an entry, although the habit is not counted.
    try await bench.run("done", "Pill", now: "2026-11-23T14:30:00+01:00")
    #expect(try await fires("phone", at: "14:31") == ["2026-11-23T18:30:00+01:00"])
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try await bench.run("undo", "Pill", store: "watch", now: "2026-11-23T14:32:00+01:00")
    #expect(try await fires("watch", at: "14:33") == ["2026-11-23T17:00:00+01:00"])
    try await bench.run("sync", bench.path("watch"), now: "2026-11-23T14:34:00+01:00")
    #expect(try await fires("phone", at: "14:35") == ["2026-11-23T17:00:00+01:00"])
    #expect(try await fires("phone", at: "17:01") == [])
  }

  @Test("An edit keeps the first time, and another rule takes its place")
  func edits() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Pill", "--after-done", "4h", "--from", "2026-11-23T20:00")
    func rule() async throws -> Document? {
      try await bench.json("habit", "show", "Pill")["schedules"]?[0]?["rule"]
    }
    try await bench.run("habit", "edit", "Pill", "--after-done", "6h")
    let kept = #"{"interval":21600,"from":"2026-11-23T19:00:00Z","anchor":"entryOrFrom"}"#
    #expect(try await rule() == (try Document(json: kept)))
    try await bench.run("habit", "edit", "Pill", "--interval", "2h", "--from", "2026-11-23T08:00")
    let plain = #"{"interval":7200,"from":"2026-11-23T07:00:00Z"}"#
    #expect(try await rule() == (try Document(json: plain)))
  }

  @Test("A past date without a time counts from the same time of that date, with --at from that")
  func earlierDate() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Pill", "--after-done", "30h")
    func fires() async throws -> [String?] {
      try await bench.json("pending")["pending"]?.list.map { $0["fireAt"]?.text } ?? []
    }
    let assumed = try await bench.run("done", "Pill", "--on", "yesterday")
    #expect(
      assumed.output == "Done: Pill on Sun 22 Nov. Its time is taken as Sun 22 Nov 12:00; "
        + "--at sets it.\n", "\(assumed)")
    #expect(try await fires() == ["2026-11-23T18:00:00+01:00"])
    let given = try await bench.run("done", "Pill", "--on", "yesterday", "--at", "20:00")
    #expect(given.output == "Done: Pill on Sun 22 Nov.\n", "\(given)")
    #expect(try await fires() == ["2026-11-24T02:00:00+01:00"])
    let none = try await bench.run("habit", "add", "Drops", "--after-done", "0m")
    #expect(
      none.status == 64
        && none.errors.contains("--after-done: 0m is out of range; 1m to 365d is allowed"),
      "\(none)")
  }
}
