import CarillonDocuments
import CarillonTestSupport
import Foundation
import Testing

/// The verbs that erase data.
struct ErasureVerbTests {
  @Test("habit delete --erase reports what it did, and no verb finds the habit afterwards")
  func deleteErase() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("done", "Walk")
    let said = try await bench.run("habit", "delete", "Walk", "--erase", "--yes")
    #expect(said.status == 0)
    #expect(said.output.contains("Permanently erased Walk: 3 events"), "\(said)")
    let verbs = [
      ["habit", "show", habit], ["habit", "restore", habit], ["explain", habit], ["done", habit],
      ["habit", "edit", habit, "--title", "Run"], ["habit", "delete", habit, "--erase", "--yes"],
    ]
    for verb in verbs {
      let answer = try await bench.start(verb).answer()
      #expect(answer.status == 66, "\(verb): \(answer)")
      #expect(answer.errors.contains("was erased"), "\(verb): \(answer)")
    }
    #expect(try await bench.run("habit", "show", "Walk").status == 66)
    let line = #"{"type":"entry.recorded","habit":"\#(habit)","date":"2026-11-23"}"#
    let appended = try await bench.run("append", input: line)
    #expect(appended.status == 65)
    #expect(appended.errors.contains("erased and accepts no new events"), "\(appended)")
    let log = try await bench.run("log")
    #expect(log.output.contains("erased") && !log.output.contains("Walk"), "\(log)")
    let shown = try await bench.json("show", "phone@2")
    #expect(shown["type"] == .text("erased"))
    #expect(shown["payloadDigest"]?.text?.count == 64 && shown["payload"] == nil)
    #expect(try await bench.json("status")["unconfirmed"] == .number(0))
    #expect(try await bench.run("verify").status == 0)
  }

  @Test("The JSON answer has the habit, the number of events, and what was written")
  func deleteEraseJSON() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    let answer = try await bench.json("habit", "delete", "Walk", "--erase", "--yes")
    #expect(answer["habit"] == .text(habit))
    #expect(answer["erased"] == .number(2))
    #expect(answer["events"]?[0]?["type"] == .text("data.erased"))
  }

  @Test("receipts erase takes exactly one of three options, and no future date")
  func receiptsErase() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("ingest", "--source", "feed", input: #"{"id":"1","title":"secret"}"#)
    for wrong in [[], ["--all", "--source", "feed"], ["--habit", "a", "--source", "b"]] {
      #expect(try await bench.start(["receipts", "erase"] + wrong).answer().status == 64)
    }
    let ahead = try await bench.run("receipts", "erase", "--all", "--before", "2027-01-01")
    #expect(ahead.status == 65, "\(ahead)")
    #expect(try await bench.run("receipts", "erase", "--source", "none").status == 66)
    let before = try await bench.json("receipts", "erase", "--all", "--before", "2026-11-23")
    #expect(before["erased"] == .number(0))
    #expect(try await bench.json("receipts")["receipts"]?.list.count == 1)
    let answer = try await bench.json("receipts", "erase", "--source", "feed")
    #expect(answer["erased"] == .number(1))
    #expect(answer["scopes"]?[0]?["source"] == .text("feed"))
    #expect(try await bench.json("receipts", "--limit", "5")["receipts"] == .list([]))
    let none = try await bench.run("receipts", "erase", "--all")
    #expect(none.status == 0 && none.output == "Nothing to erase.\n", "\(none)")
  }

  @Test("Receipts are not erased twice, and an erasure without local receipts is reported")
  func receiptsEraseTwice() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let first = try await bench.run("receipts", "erase", "--habit", "Walk")
    #expect(first.output.hasPrefix("Nothing to erase here. "), "\(first)")
    let log = try await bench.log()
    let again = try await bench.run("receipts", "erase", "--habit", "Walk")
    #expect(again.output == "Nothing to erase.\n", "\(again)")
    #expect(try await bench.log() == log)
    try await bench.run("ingest", "--source", "feed", input: #"{"id":"1","title":"secret"}"#)
    let dated = ["receipts", "erase", "--source", "feed", "--before", "2026-11-23"]
    let events = try await bench.start(dated + ["--json"]).answer().document()["events"]
    #expect(events?.list.count == 1)
    let second = try await bench.start(dated + ["--json"]).answer().document()["events"]
    #expect(second?.list.isEmpty == true)
    // New receipts can be erased again.
    let id = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    let evening = "2026-11-23T17:05:00+01:00"
    try await bench.run("receipt", "delivered", id, now: evening)
    let held = try await bench.json("receipts", "erase", "--habit", "Walk", now: evening)
    #expect(held["erased"] == .number(1))
  }

  @Test("The desktop's queue forgets erased habits, and what was shown long ago")
  func desktop() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Zephyr", "--at", "13:00,17:00")
    _ = try await bench.addHabit("Read", "--at", "13:00,17:00")
    try await bench.allowReminders()
    // Without a command, the notifications would go to the desktop of this machine, if it has one.
    func watch(_ now: String = Workbench.now) async throws {
      let answer = try await bench.start(
        ["watch", "--once"], now: now, with: ["CARILLON_NOTIFY": "/bin/true"]
      ).answer()
      #expect(answer.status == 0, "\(answer)")
    }
    try await watch()
    let afternoon = "2026-11-23T13:01:00+01:00"
    try await watch(afternoon)
    func queue() throws -> String {
      try String(contentsOf: bench.url("phone/desktop.json"), encoding: .utf8)
    }
    #expect(try queue().components(separatedBy: "\"deliveredAt\"").count == 3)
    #expect(try queue().contains("Zephyr"))
    try await bench.run("habit", "delete", "Zephyr", "--erase", "--yes", now: afternoon)
    #expect(try !queue().contains("Zephyr") && queue().contains("Read"))
    try await watch("2026-12-02T12:00:00+01:00")
    #expect(try !queue().contains("2026-11-23T13:00:00"))
    // A habit erased elsewhere is removed by the next watch or compact.
    let read = try #require(
      try await bench.json("habit", "list")["habits"]?[0]?["id"]?.text)
    let planted = try queue().replacing("\"title\":\"Read\"", with: "\"title\":\"Zephyr\"")
      .replacing(
        "\"habit\":\"\(read)\"",
        with: "\"habit\":\"00000000-0000-4000-8000-000000000000\"")
    try bench.write(planted, to: "phone/desktop.json")
    try await bench.run("compact", now: "2026-12-02T12:00:00+01:00")
    #expect(try !queue().contains("Zephyr"))
  }

  @Test("compact leaves no byte of erased data, and exits with 75 while the store is open")
  func compact() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Zephyr und Quitte", "--at", "17:00")
    _ = try await bench.addHabit("Read", "--at", "17:00")
    try await bench.run("pending")
    try await bench.run("habit", "delete", "Zephyr und Quitte", "--erase", "--yes")
    let digest = try await bench.digest()
    let dry = try await bench.json("compact", "--dry-run")
    #expect(dry["dryRun"] == .bool(true) && dry["bytesAfter"] == .null)
    let reader = try await bench.start(["log", "--follow"])
    try await reader.prints { $0.contains("device.described") }
    let busy = try await bench.run("compact")
    #expect(busy.status == 75, "\(busy)")
    reader.killGroup()
    _ = try await reader.answer()
    let answer = try await bench.json("compact")
    #expect(answer["dryRun"] == .bool(false))
    let names = try #require(FileManager.default.enumerator(atPath: bench.path("phone")))
    for case let name as String in names {
      let data = FileManager.default.contents(atPath: bench.path("phone/\(name)")) ?? Data()
      #expect(data.range(of: Data("Zephyr und Quitte".utf8)) == nil, "\(name)")
    }
    #expect(try await bench.digest() == digest)
    #expect(try await bench.run("verify").status == 0)
  }

  @Test("An erasure that is killed at any moment is finished later", .timeLimit(.minutes(30)))
  func killed() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Workbench.withStore()
    for round in 0..<5 {
      let title = "Walk \(round)"
      let habit = try await bench.addHabit(title, "--at", "17:00")
      try await bench.run("append", input: bench.entries(of: habit, count: 600))
      let child = try await bench.start(["habit", "delete", title, "--erase", "--yes"])
      try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<120_000, using: &random)))
      child.killGroup()
      _ = try await child.answer()
      let verified = try await bench.run("verify")
      #expect(verified.status == 0, "seed \(seed): \(verified)")
      // A verb that completes removes what an earlier one left.
      let isErased = try await bench.run("habit", "show", habit).status == 66
      let log = try await bench.log()
      let left = log.split(separator: "\n").filter {
        $0.contains(#""habit":"\#(habit)""#) && !$0.contains(#""type":"data.erased""#)
      }
      #expect(left.isEmpty == isErased, "seed \(seed): \(left.count) of round \(round)")
    }
    #expect(try await bench.rebuiltDigest() == (try await bench.digest()), "seed \(seed)")
  }
}
