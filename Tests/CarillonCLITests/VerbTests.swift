import Foundation
import Testing

/// The effects of the verbs.
struct VerbTests {
  @Test("Global options may precede or follow the verb")
  func globalOptions() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let global = [
      "--store", bench.path("phone"), "--now=2026-11-23T11:00:00Z", "--zone", "Asia/Tokyo",
      "--json",
    ]
    let behind = try await bench.startPlain(["habit", "list"] + global, store: nil).answer()
    #expect(try behind.document()["habits"]?.list.count == 1)
    for order in [global + ["habit", "list"], ["habit"] + global + ["list"]] {
      #expect(try await bench.startPlain(order, store: nil).answer().output == behind.output)
    }
    let pending = try await bench.startPlain(global + ["pending"], store: nil).answer()
    #expect(try pending.document()["zone"]?.text == "Asia/Tokyo")
  }

  @Test("A system that has the queue needs no change, and foreign requests are counted")
  func difference() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "07:30,17:00", "--unless", "done")
    try await bench.allowReminders()
    let pending = try await bench.run("pending", "--json").output
    let same = try await bench.json(
      "plan", "--against", try bench.write(pending, to: "pending.json"))
    #expect(same["remove"] == .list([]) && same["add"] == .list([]), "\(same)")
    #expect(same["unchanged"]?.number == (try Document(json: pending)["pending"]?.list.count))
    #expect(same["blocked"] == .null)
    let other = try bench.write(#"[{"id":"theirs"},{"id":"their.own"}]"#, to: "foreign.json")
    let foreign = try await bench.json("plan", "--against", other)
    #expect(foreign["foreign"]?.number == 2 && foreign["remove"] == .list([]), "\(foreign)")
    try await bench.run("done", "Walk")
    let after = try await bench.json("plan", "--against", bench.path("pending.json"))
    #expect(after["remove"]?.list.count == 1, "\(after)")
  }

  @Test("Requests to remove are listed with title and time, if the store knows them")
  func removals() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Tea", "--at", "16:00")
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.allowReminders()
    let held = try await bench.run("pending", "--json").output
    let file = try bench.write(held, to: "held.json")
    let list = try #require(try Document(json: held)["pending"]?.list)
    let (tea, walk) = (try #require(list[0]["id"]?.text), try #require(list[1]["id"]?.text))
    try await bench.run("receipt", "delivered", walk)
    try await bench.run("done", "Walk")
    try await bench.run("habit", "delete", "Tea")
    func rows() async throws -> Set<[String]> {
      let output = try await bench.run("plan", "--against", file).output
      let rows = output.split(separator: "\n").map { row in
        row.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
      }
      return Set(rows.filter { ["remove", "clear"].contains($0[0]) })
    }
    let (four, five) = ("Mon 23 Nov 16:00", "Mon 23 Nov 17:00")
    let walks = [["remove", five, "Walk", walk], ["clear", five, "Walk", walk]]
    #expect(try await rows() == Set(walks + [["remove", four, "Tea", tea]]))
    // The earlier plan is then forgotten, and the occurrence of an ID is computed; the daily
    // request at 16:00 no longer belongs to a habit.
    try await bench.run("rebuild")
    #expect(try await rows() == Set(walks + [["remove", tea]]))
  }

  @Test("A habit is found by its ID, its title, and the start of its ID")
  func lookup() async throws {
    let bench = try await Workbench.withStore()
    let id = try await bench.addHabit("Gehen \u{E4}")
    for name in [id, id.uppercased(), "Gehen \u{E4}", "Gehen a\u{308}", String(id.prefix(4))] {
      #expect(try await bench.json("done", name)["habit"]?.text == id, "\(name)")
    }
    #expect(try await bench.json("done", "gehen a")["habit"]?.text == id)
    #expect(try await bench.run("done", String(id.prefix(3))).status == 66)
    try await bench.run("habit", "archive", id)
    #expect(try await bench.run("done", id).status == 0)
    #expect(try await bench.json("habit", "list")["habits"] == .list([]))
    #expect(try await bench.json("habit", "list", "--all")["habits"]?.list.count == 1)
    try await bench.run("habit", "unarchive", id)
    try await bench.run("habit", "delete", id)
    #expect(try await bench.json("habit", "show", id)["deleted"] == .bool(true))
    let second = try await bench.addHabit("Gehen \u{E4}")
    #expect(try await bench.json("done", "Gehen \u{E4}")["habit"]?.text == second)
    #expect(try await bench.run("habit", "restore", "Gehen \u{E4}").status == 73)
    #expect(
      try await bench.json("habit", "restore", "Gehen \u{E4}", "--again")["habit"]?.text == id)
    #expect(try await bench.run("done", "Gehen \u{E4}").status == 65)
  }

  @Test("habit edit changes the reminder of a habit with exactly one schedule")
  func editing() async throws {
    let bench = try await Workbench.withStore()
    let one = try await bench.addHabit("One", "--at", "17:00", "--body", "Go")
    _ = try await bench.addHabit("None")
    let edited = try await bench.run(
      "habit", "edit", "One", "--at", "18:00", "--title", "First", "--unit", "km", "--target",
      "2.5")
    #expect(edited.status == 0, "\(edited)")
    var habit = try await bench.json("habit", "show", "First")
    #expect(habit["id"]?.text == one)
    #expect(habit["unit"]?.text == "km" && habit["target"]?.number == 2500)
    #expect(habit["schedules"]?[0]?["times"] == .list([.text("18:00")]))
    #expect(habit["schedules"]?[0]?["body"]?.text == "Go")
    try await bench.run("habit", "edit", "First", "--unit", "none", "--body", "none")
    habit = try await bench.json("habit", "show", "First")
    #expect(habit["unit"] == nil && habit["schedules"]?[0]?["body"] == nil, "\(habit)")
    #expect(habit["schedules"]?[0]?["times"] == .list([.text("18:00")]))
    try await bench.run("schedule", "add", "First", "--at", "08:00")
    for name in ["First", "None"] {
      let answer = try await bench.run("habit", "edit", name, "--at", "09:00")
      #expect(answer.status == 65 && answer.errors.contains("carillon schedule"), "\(answer)")
    }
    let schedules = try await bench.json("habit", "show", "First")["schedules"]?.list ?? []
    let schedule = try #require(schedules.last?["id"]?.text)
    #expect(try await bench.run("schedule", "edit", schedule, "--at", "06:00").status == 0)
    #expect(try await bench.run("schedule", "remove", String(schedule.prefix(6))).status == 0)
    #expect(try await bench.json("habit", "show", "First")["schedules"]?.list.count == 1)
  }

  @Test("A second done, undo --all or skip has no further effect")
  func repeated() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    let verbs = [
      ["skip", "Walk"], ["done", "Walk"], ["undo", "Walk", "--all"],
      ["habit", "resume", "Walk"],
      ["habit", "archive", "Walk"], ["habit", "unarchive", "Walk"], ["active"],
    ]
    for verb in verbs {
      #expect(try await bench.start(verb).answer().status == 0, "\(verb)")
      let digest = try await bench.digest()
      let again = try await bench.start(verb).answer()
      #expect(again.status == 0, "\(verb) \(again)")
      #expect(try await bench.digest() == digest, "\(verb)")
    }
  }

  @Test("The prompt is recorded once, and a second ask exits with 1 and writes nothing")
  func ask() async throws {
    let bench = try await Workbench.withStore()
    #expect(try await bench.run("permission", "ask").status == 0)
    let log = try await bench.log()
    #expect(try await bench.run("permission", "ask").status == 1)
    #expect(try await bench.run("permission", "ask", "--json").status == 1)
    #expect(try await bench.log() == log)
    #expect(try await bench.json("pending")["blocked"]?.text == "notDetermined")
    try await bench.run("permission", "deny")
    #expect(try await bench.json("pending")["blocked"]?.text == "denied")
    try await bench.run("permission", "grant", "--options", "alert")
    #expect(try await bench.json("permission")["options"] == .list([.text("alert")]))
    #expect(try await bench.json("pending")["blocked"]?.text == "alertsOff")
    try await bench.run("alerts", "on")
    #expect(try await bench.json("pending")["blocked"] == .null)
  }

  @Test("The digest as of a time is the one that was reported then")
  func until() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let digest = try await bench.digest()
    let later = "2026-11-24T12:00:00+01:00"
    try await bench.run("done", "Walk", now: later)
    #expect(try await bench.digest(now: later) != digest)
    let reported = try await bench.json(
      "rebuild", "--until", "2026-11-24T11:59:59+01:00", now: later)
    #expect(reported["stateDigest"]?.text == digest)
    let now = try await bench.json("rebuild", "--until", later, now: later)
    #expect(now["stateDigest"]?.text == (try await bench.digest(now: later)))
  }

  @Test("Export and import transfer the complete state")
  func exportAndImport() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("append", input: bench.entries(of: habit, count: 50))
    try await bench.run("permission", "grant")
    let file = try bench.write(try await bench.run("export").output, to: "events.ndjson")
    let storeID = try #require(try await bench.json("status")["store"]?.text)
    try await bench.make("copy", storeID: storeID)
    #expect(try await bench.json("import", file, store: "copy")["imported"]?.number != 0)
    // The original lacks the copy's first event.
    let back = try bench.write(
      try await bench.run("export", store: "copy").output, to: "back.ndjson")
    #expect(try await bench.json("import", back)["imported"]?.number == 1)
    #expect(try await bench.digest("copy") == (try await bench.digest()))
    #expect(try await bench.run("diff", bench.path("phone"), bench.path("copy")).status == 0)
  }

  @Test("A listing ends quietly if its reader goes away")
  func brokenPipe() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk")
    try await bench.run("append", input: bench.entries(of: habit, count: 2_000))
    let answer = try await bench.startShell("\"$CARILLON\" log | head -n 1").answer()
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer)")
    #expect(answer.output.contains("phone@1"))
  }
}
