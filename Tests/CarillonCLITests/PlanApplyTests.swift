import Foundation
import Testing

/// A file acts as the notification system, on which a day is simulated.
struct PlanApplyTests {
  private func bench() async throws -> (Workbench, habit: String) {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00,18:00", "--unless", "done")
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on", "--badge", "on")
    return (bench, habit)
  }

  @Test("A file in the store's log directory blocks no process, and a pipe is refused")
  func notAFile() async throws {
    let (bench, _) = try await bench()
    let own = try await bench.run("plan", "--apply", bench.path("phone/log/any.json"))
    #expect(own.status == 0, "\(own)")
    #expect(try await bench.run("verify").status == 0)
    #expect(mkfifo(bench.path("pipe"), 0o600) == 0)
    let pipe = try await bench.run("plan", "--apply", bench.path("pipe"))
    #expect(pipe.status == 65 && pipe.errors.contains("not a regular file"), "\(pipe)")
  }

  @Test("A foreign lock on the file's directory blocks no process")
  func lockedFolder() async throws {
    let (bench, _) = try await bench()
    let holder = try await bench.startShell(
      #"exec flock -x "$TMPDIR" sh -c 'echo held; exec sleep 600'"#)
    defer { holder.killGroup() }
    try await holder.prints { $0.contains("held") }
    let answer = try await bench.run("plan", "--apply", bench.path("system.json"))
    #expect(answer.status == 0, "\(answer)")
  }

  @Test(
    "A reminder that fired before its time was changed has a receipt",
    arguments: [["--at", "17:00"], ["--on", "mon,thu", "--at", "17:00"]])
  func changedAfterFiring(flags: [String]) async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.start(["habit", "add", "Gym"] + flags).answer()
    let file = bench.path("system.json")
    try await bench.run("plan", "--apply", file)
    let six = "2026-11-23T18:00:00+01:00"
    // Each of these plans the next week's or day's occurrence.
    try await bench.run("today", now: six)
    try await bench.run("habit", "edit", "Gym", "--at", "21:15", now: six)
    let applied = try await bench.json("plan", "--apply", file, now: six)
    #expect(applied["fired"]?[0]?["firedAt"]?.text == "2026-11-23T17:00:00+01:00")
    let receipts = try await bench.json("receipts", "list", now: six)["receipts"]?.list
    #expect(receipts?.map { $0["fireAt"]?.text } == ["2026-11-23T17:00:00+01:00"])
    #expect(receipts?.map { $0["state"]?.text } == ["delivered"])
  }

  @Test("On a simulated day, due reminders fire, done ones do not, and nothing is recorded twice")
  func day() async throws {
    let (bench, habit) = try await bench()
    let file = bench.path("system.json")
    let noon = try await bench.json("plan", "--apply", file)
    #expect(noon["add"]?.list.count == 16)
    #expect(noon["badge"]?.number == 0)
    let events = try await bench.log()
    let again = try await bench.json("plan", "--apply", file)
    #expect(again["unchanged"]?.number == 16)
    #expect(again["events"]?.list.isEmpty == true)
    #expect(try await bench.log() == events)
    #expect(try await bench.json("plan", "--against", file)["unchanged"]?.number == 16)

    let five = "2026-11-23T17:05:00+01:00"
    let shown = try await bench.json("plan", "--apply", file, now: five)
    #expect(shown["badge"]?.number == 1)
    #expect(shown["fired"]?.list.map { $0["title"]?.text } == ["Walk"])
    #expect(shown["fired"]?[0]?["firedAt"]?.text == "2026-11-23T17:00:00+01:00")
    #expect(shown["events"]?.list.map { $0["type"]?.text } == ["receipt.advanced"])
    let receipts = try await bench.json("receipts", "--state", "delivered", now: five)["receipts"]
    #expect(receipts?.list.map { $0["at"]?.text } == ["2026-11-23T17:00:00+01:00"])
    #expect(try document(file)["delivered"]?.list.count == 1)

    let half = "2026-11-23T17:30:00+01:00"
    try await bench.run("done", habit, now: half)
    let done = try await bench.json("plan", "--apply", file, now: half)
    #expect(done["remove"]?.list.count == 1)
    #expect(done["removeDelivered"]?.list.count == 1)
    #expect(done["badge"]?.number == 0)
    #expect(done["fired"]?.list.isEmpty == true)
    let evening = "2026-11-23T22:00:00+01:00"
    let quiet = try await bench.json("plan", "--apply", file, now: evening)
    #expect(quiet["remove"]?.list.isEmpty == true)
    #expect(try document(file)["delivered"]?.list.isEmpty == true)
  }

  @Test("The answer lists what fired, was removed and was cleared, with title and time")
  func text() async throws {
    let (bench, habit) = try await bench()
    let file = bench.path("system.json")
    try await bench.run("plan", "--apply", file)
    let five = "2026-11-23T17:05:00+01:00"
    let fired = try await bench.run("plan", "--apply", file, now: five).output
    #expect(fired.contains("fired") && fired.contains("1 fired. Removed 0, added 0"), "\(fired)")
    #expect(fired.contains("Mon 23 Nov 17:00  Walk"), "\(fired)")
    try await bench.run("done", habit, now: five)
    let done = try await bench.run("plan", "--apply", file, now: five).output
    let rows = done.split(separator: "\n").filter { $0.contains("Mon 23 Nov") }
    #expect(rows.contains { $0.hasPrefix("removed") && $0.contains("18:00  Walk") }, "\(done)")
    #expect(rows.contains { $0.hasPrefix("cleared") && $0.contains("17:00  Walk") }, "\(done)")
  }

  @Test("A reminder that became due before the system received it does not fire")
  func neverGiven() async throws {
    let (bench, _) = try await bench()
    let file = bench.path("system.json")
    try await bench.run("plan", "--apply", file)
    try await bench.run("habit", "add", "Tea", "--at", "12:30", now: "2026-11-23T12:10:00+01:00")
    let later = try await bench.json(
      "plan", "--apply", file, now: "2026-11-23T12:40:00+01:00")
    #expect(later["fired"]?.list.isEmpty == true)
  }

  @Test("Revoked permission empties the system, and granted permission fills it again")
  func permission() async throws {
    let (bench, _) = try await bench()
    let file = bench.path("system.json")
    try await bench.run("plan", "--apply", file)
    try await bench.run("permission", "revoke")
    let evening = "2026-11-23T20:00:00+01:00"
    let denied = try await bench.json("plan", "--apply", file, now: evening)
    #expect(denied["blocked"]?.text == "denied")
    #expect(denied["remove"]?.list.count == 14)
    #expect(try document(file)["pending"]?.list.isEmpty == true)
    #expect(try document(file)["delivered"]?.list.isEmpty == true)
    try await bench.run("permission", "grant", now: evening)
    #expect(try await bench.json("plan", "--apply", file, now: evening)["add"]?.list.count == 14)
  }

  @Test(
    "The last firing of a reminder that has repeated for 2,000 years is found at once",
    .timeLimit(.minutes(30)),
    arguments: [
      ("every 60", "12:00:00", "12:01:00"), ("daily 07:30", "07:30:00", nil),
      ("weekly 1 07:30", "07:30:00", nil),
    ])
  func longPast(trigger: String, fired: String, next: String?) async throws {
    let (bench, _) = try await bench()
    let file = try bench.write(
      #"[{"id":"x","fireAt":"0001-01-02T00:00:00Z","trigger":"\#(trigger)"}]"#, to: "system.json")
    let reported = try await bench.json("plan", "--apply", file)["fired"]
    #expect(reported?.list.count == 64)
    #expect(reported?.list.last?["firedAt"]?.text == "2026-11-23T\(fired)+01:00")
    guard let next else { return }
    let held = try document(file)["pending"]?.list.first { $0["id"]?.text == "x" }
    #expect(held?["fireAt"]?.text == "2026-11-23T\(next)+01:00")
  }

  @Test("Foreign requests are kept unchanged, and repeating ones stay after they fired")
  func others() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Tea", "--at", "16:00")
    try await bench.allowReminders()
    let file = try bench.write(
      #"{"pending":[{"id":"theirs","sound":7},{"id":"c1.oldaaaaaaaaaaaaa"}]}"#, to: "system.json")
    let applied = try await bench.json("plan", "--apply", file)
    #expect(applied["foreign"]?.number == 1)
    #expect(applied["remove"]?.list.map(\.text) == ["c1.oldaaaaaaaaaaaaa"])
    let theirs = Document.object(["id": .text("theirs"), "sound": .number(7)])
    #expect(try document(file)["pending"]?[0] == theirs)
    let later = try await bench.json("plan", "--apply", file, now: "2026-11-25T09:00:00+01:00")
    #expect(later["unchanged"]?.number == 1)
    #expect(later["add"]?.list.isEmpty == true)
    #expect(try document(file)["pending"]?[1]?["fireAt"]?.text == "2026-11-25T16:00:00+01:00")
    let receipts = try await bench.json("receipts", now: "2026-11-25T09:00:00+01:00")["receipts"]
    let states = receipts?.list.compactMap { $0["state"]?.text } ?? []
    #expect(Set(states) == ["delivered", "presumed"])
  }

  @Test(
    "After a change of time zone, pending requests fire by the local clock",
    arguments: [("Asia/Tokyo", "+09:00"), ("America/New_York", "-05:00")])
  func journey(zone: String, offset: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Pills", "--at", "08:00")
    try await bench.run("habit", "add", "Vitamins", "--at", "08:30", "--unless", "done")
    try await bench.allowReminders()
    let file = bench.path("system.json")
    try await bench.run("plan", "--apply", file)
    // Local midnight and noon on Wednesday; the flight was on Tuesday after the morning reminder.
    try await bench.run("plan", "--apply", file, now: "2026-11-24T09:00:00+01:00")
    for (now, firings) in [("25T00:05", []), ("25T12:00", ["25T08:00", "25T08:30"])] {
      let applied = try await bench.json(
        "plan", "--apply", file, now: "2026-11-\(now):00\(offset)", zone: zone)
      let fired = applied["fired"]?.list.map { $0["firedAt"]?.text }
      #expect(fired == firings.map { "2026-11-\($0):00\(offset)" }, "\(applied)")
    }
  }

  @Test("Each firing of a repeating request is reported, and the newest 64 after years")
  func repeated() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Tea", "--at", "16:00")
    try await bench.run("habit", "add", "Drops", "--interval", "1h", "--from", Workbench.now)
    try await bench.allowReminders()
    let file = bench.path("system.json")
    for (now, drops, teas) in [
      ("2026-11-23T12:00:30+01:00", 0, 0), ("2026-11-25T17:00:00+01:00", 53, 3),
      ("2029-11-25T17:00:00+01:00", 64, 64),
    ] {
      let fired = try await bench.json("plan", "--apply", file, now: now)["fired"]?.list ?? []
      #expect(fired.count { $0["title"]?.text == "Drops" } == drops)
      #expect(fired.count { $0["title"]?.text == "Tea" } == teas)
    }
  }

  @Test(
    "A damaged file is reported and left unchanged",
    arguments: [
      "", "{", "7", #"{"pending":7}"#, #"{"delivered":[]}"#, #"{"pending":[{"id":7}]}"#,
      #"{"pending":[{"id":"c1.a","fireAt":"soon"}]}"#, #"{"pending":[],"badge":-1}"#,
      #"{"pending":[{"id":"c1.a","trigger":"hourly"}]}"#,
      #"{"pending":[],"delivered":[{"id":"c1.a"}]}"#, #"{"pending":[],"zone":"Mars/Olympus"}"#,
    ])
  func damaged(_ text: String) async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write(text, to: "system.json")
    let answer = try await bench.run("plan", "--apply", file)
    #expect(answer.status == 65, "\(answer)")
    #expect(answer.errors.contains("system.json"))
    #expect(try String(contentsOf: bench.url("system.json"), encoding: .utf8) == text)
  }

  @Test("A file in a missing directory is refused, as are neither or both of the flags")
  func misused() async throws {
    let bench = try await Workbench.withStore()
    let nowhere = try await bench.run("plan", "--apply", bench.path("nowhere/system.json"))
    #expect(nowhere.status == 66, "\(nowhere)")
    #expect(try await bench.run("plan").status == 64)
    let both = try await bench.run("plan", "--apply", "a", "--against", "b")
    #expect(both.status == 64, "\(both)")
  }

  @Test("Processes that apply at once leave one queue, recorded once", .timeLimit(.minutes(30)))
  func together() async throws {
    let (bench, _) = try await bench()
    let file = bench.path("system.json")
    var children: [Child] = []
    for _ in 0..<3 { children.append(try await bench.start(["plan", "--apply", file])) }
    for child in children { #expect(try await child.answer().status == 0) }
    #expect(try document(file)["pending"]?.list.count == 16)
    let receipts = try await bench.json("receipts", "--state", "all")["receipts"]
    #expect(receipts?.list.count == 16)
    let some = try await bench.run("receipts", "--state", "all", "--limit", "15").output
    #expect(some.hasSuffix("There are more; to list them, give a greater --limit.\n"), "\(some)")
    #expect(
      try await !bench.run("receipts", "--state", "all", "--limit", "16").output
        .contains("There are more"))
    let events = try await bench.log()
    #expect(events.split(separator: "\n").count { $0.contains(#""receipt.advanced""#) } == 16)
  }

  private func document(_ path: String) throws -> Document {
    try Document(json: try String(contentsOf: URL(filePath: path), encoding: .utf8))
  }
}
