import Foundation
import Testing

/// `receipt` and `receipts`, run as processes.
struct ReceiptVerbTests {
  private static let receipts: Shape = .object([
    "receipts": .list(
      .object([
        "key": .text, "source": .text, "revision": .text, "state": .text, "at": .text,
        "fireAt": .optional(.text), "replica": .text, "action": .optional(.text),
        "text": .optional(.text),
      ]))
  ])

  /// A phone that may alert, with a habit at 17:00, and the ID of today's reminder.
  private func reminded() async throws -> (bench: Workbench, habit: String, id: String) {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.allowReminders()
    let id = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    return (bench, habit, id)
  }

  @Test("After delivered, opened and acted, the receipt history has the last state")
  func history() async throws {
    let (bench, habit, id) = try await reminded()
    let evening = "2026-11-23T17:00:00+01:00"
    let delivered = try await bench.json("receipt", "delivered", id, now: evening)
    #expect(delivered["key"]?.text == id)
    #expect(delivered["events"]?.list.compactMap { $0["type"]?.text } == ["receipt.advanced"])
    let first = try await bench.json("receipts", now: evening)
    Self.receipts.expect(first, "receipts")
    #expect(first["receipts"]?[0]?["key"]?.text == id)
    #expect(first["receipts"]?[0]?["source"]?.text == habit)
    #expect(first["receipts"]?[0]?["revision"]?.text == "0")
    #expect(first["receipts"]?[0]?["state"]?.text == "delivered")
    #expect(first["receipts"]?[0]?["at"]?.text == evening)
    let done = try await bench.json("receipt", "acted", id, "--action", "done", now: evening)
    let types = done["events"]?.list.compactMap { $0["type"]?.text }
    #expect(types == ["receipt.advanced", "response.recorded", "entry.recorded"])
    #expect(try await bench.json("receipts")["receipts"]?[0]?["state"]?.text == "acted")
    #expect(try await bench.json("receipts", "--state", "delivered")["receipts"] == .list([]))
    let explained = try await bench.json("explain", "Walk")
    #expect(explained["occurrences"]?[0]?["reason"]?.text == "done")
  }

  @Test("A receipt or an action for a digest is recorded for each of its habits")
  func digest() async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Read", "Tea"] {
      _ = try await bench.addHabit(title, "--at", "17:00", "--unless", "done")
    }
    _ = try await bench.addHabit("Other", "--at", "19:00")
    try await bench.run("settings", "set", "digest", "2/300s")
    let id = try #require(
      try await bench.json("pending")["pending"]?.list.compactMap { $0["id"]?.text }
        .first { $0.hasPrefix("c1d.") })
    let evening = "2026-11-23T17:05:00+01:00"
    let delivered = try await bench.run("receipt", "delivered", id, now: evening).output
    for title in ["Walk", "Read", "Tea"] {
      #expect(delivered.contains("\(title) of Mon 23 Nov 17:00"), "\(delivered)")
    }
    let done = try await bench.json("receipt", "acted", id, "--action", "done", now: evening)
    #expect(done["covers"]?.list.count == 3, "\(done)")
    #expect(done["events"]?.list.count { $0["type"]?.text == "entry.recorded" } == 3, "\(done)")
    let habits = try await bench.json("habit", "list", now: evening)["habits"]?.list ?? []
    #expect(
      habits.compactMap { $0["today"]?.text }.sorted() == ["done", "done", "done", "open"])
    let again = try await bench.run("receipt", "acted", id, "--action", "done", now: evening)
    #expect(again.output.hasPrefix("Already answered: done, "), "\(again)")
  }

  @Test("What happened is listed by the time at which it fired; --state lists what will fire")
  func listed() async throws {
    let bench = try await Workbench.withStore()
    for (title, time) in [("Late", "17:00"), ("Early", "13:00"), ("Night", "23:00")] {
      _ = try await bench.addHabit(title, "--at", time, "--unless", "done")
    }
    try await bench.allowReminders()
    try await bench.run("plan", "--apply", bench.path("system"))
    let none = try await bench.run("receipts")
    #expect(none.output.hasPrefix("No receipts of what happened."), "\(none)")
    #expect(none.output.contains("receipts list --state submitted"), "\(none)")
    let submitted = try await bench.json("receipts", "--state", "submitted")["receipts"]?.list ?? []
    let instants = submitted.compactMap { $0["fireAt"]?.text }
    #expect(instants.count == 24 && instants == instants.sorted(by: >), "\(submitted)")
    let evening = "2026-11-23T18:00:00+01:00"
    let table = try await bench.run("receipts", now: evening).output.split(separator: "\n")
    #expect(table.count == 3 && table[0].hasPrefix("fires "), "\(table)")
    #expect(table[1].hasPrefix("Mon 23 Nov 17:00  presumed  Late "), "\(table)")
    #expect(table[2].hasPrefix("Mon 23 Nov 13:00  presumed  Early "), "\(table)")
    let all = try await bench.json("receipts", "--state", "all", now: evening)["receipts"]
    #expect(all?.list.count == 24)
    let help = try await bench.run("receipts", "list", "--help").output
    #expect(help.contains("presumed, delivered, expired, dismissed"), "\(help)")
  }

  @Test("Receipts of repeats have the IDs of the repeats")
  func repeats() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit(
      "Bus", "--before", "10m", "--repeat", "2x5m", "--on", "mon", "--at", "17:00")
    let ids = try await bench.json("pending")["pending"]?.list.compactMap { $0["id"]?.text } ?? []
    let now = "2026-11-23T17:05:00+01:00"
    let today = Array(ids.prefix(3))
    for id in today { try await bench.run("receipt", "delivered", id, now: now) }
    let receipts = try await bench.json("receipts", now: now)["receipts"]?.list ?? []
    #expect(receipts.compactMap { $0["key"]?.text }.sorted() == today.sorted())
    #expect(receipts.compactMap { $0["revision"]?.text }.sorted() == ["0", "r1", "r2"])
    try await bench.run(
      "receipt", "acted", today[2], "--action", "snooze", "--for", "10m", now: now)
    try await bench.run("pending", now: now)
    let later = "2026-11-23T17:16:00+01:00"
    try await bench.run("receipt", "delivered", today[2], now: later)
    let keys = try await bench.json("receipts", now: later)["receipts"]?.list ?? []
    #expect(keys.count { $0["key"]?.text == today[2] } == 2, "\(keys)")
  }

  @Test("A reminder delivered on the phone and synced is removed from the watch")
  func syncedDevices() async throws {
    let (bench, habit, id) = try await reminded()
    try await bench.run("habit", "edit", habit, "--owner", "both")
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    try await bench.run("permission", "grant", store: "watch")
    try await bench.run("alerts", "on", store: "watch")
    let held = try await bench.run("pending", "--json", store: "watch").output
    let list = try bench.write(held, to: "held.json")
    try await bench.run("receipt", "delivered", id)
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    let plan = try await bench.json("plan", "--against", list, store: "watch")
    #expect(plan["remove"] == .list([.text(id)]) && plan["add"] == .list([]), "\(plan)")
    let explained = try await bench.json("explain", "Walk", store: "watch")
    #expect(explained["occurrences"]?[0]?["reason"]?.text == "delivered")
    #expect(try await bench.digest("watch") == bench.digest("phone"))
    // When it is done on the watch, the phone removes its alert.
    try await bench.run("done", "Walk", store: "watch")
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    let phone = try await bench.json("plan", "--against", list)
    #expect(phone["removeDelivered"] == .list([.text(id)]))
  }

  @Test(
    "Occurrences of an interval are listed in the local zone, or the schedule's own")
  func intervals() async throws {
    let bench = try await Workbench.withStore()
    let flags = ["--interval", "4h", "--from", "2026-11-23T00:30:00+01:00"]
    let near = try await bench.addHabit("Near", flags[0], flags[1], flags[2], flags[3])
    let far = try await bench.addHabit(
      "Far", flags[0], flags[1], flags[2], flags[3], "--fixed-zone", "America/New_York")
    let pending = try #require(try await bench.json("pending")["pending"]?.list)
    // In UTC it is 23:30 on the day before.
    let midnight = "2026-11-24T00:30:00+01:00"
    for request in pending {
      let id = try #require(request["id"]?.text)
      #expect(id.hasPrefix("c1r."))
      try await bench.run("receipt", "delivered", id, now: midnight)
    }
    func nominals(in zone: String) async throws -> [String: String] {
      let command = ["receipts", "--json", "--now", midnight, "--zone", zone]
      let answer = try await bench.startPlain(command).answer().document()
      var found: [String: String] = [:]
      for receipt in answer["receipts"]?.list ?? [] {
        found[try #require(receipt["habit"]?.text)] = receipt["nominal"]?.text
      }
      return found
    }
    let there = "2026-11-23T18:30"
    #expect(
      try await nominals(in: "Europe/Berlin") == [near: "2026-11-24T00:30", far: there])
    #expect(try await nominals(in: "Asia/Tokyo") == [near: "2026-11-24T08:30", far: there])
    let text = try await bench.run("receipts", now: midnight).output
    let names = ["Near of Tue 24 Nov 00:30", "Far of Mon 23 Nov 18:30"]
    #expect(names.allSatisfy(text.contains), "\(text)")
  }

  @Test("A snooze is recorded and moves the reminder, and text and names are kept")
  func actions() async throws {
    let (bench, _, id) = try await reminded()
    let snoozed = try await bench.run("receipt", "acted", id, "--action", "snooze")
    #expect(snoozed.status == 0 && snoozed.output.contains("Snoozed: Walk"), "\(snoozed)")
    try await bench.run("receipt", "acted", id, "--action", "REPLY", "--text", "Soon")
    let log = try await bench.log()
    #expect(log.contains(#""action":"snooze""#))
    #expect(log.contains(#""action":"REPLY","text":"Soon""#))
    try await bench.run("receipt", "dismissed", id)
    try await bench.run("receipt", "opened", id)
    #expect(try await bench.json("receipts", "--limit", "1")["receipts"]?.list.count == 1)
  }

  @Test("An action names its reminder, is recorded only once, and is listed")
  func answered() async throws {
    let (bench, _, id) = try await reminded()
    let answer = ["receipt", "acted", id, "--action", "done", "--text", "went far"]
    let first = try await bench.start(answer, now: "2026-11-23T17:05:00+01:00").answer()
    #expect(first.output == "Done: Walk of Mon 23 Nov 17:00.\n", "\(first)")
    let before = try await bench.log()
    for now in ["2026-11-23T17:06:00+01:00", "2026-11-23T23:00:00+01:00"] {
      let again = try await bench.start(answer, now: now).answer()
      #expect(again.output == "Already answered: done, Walk of Mon 23 Nov 17:00.\n")
    }
    #expect(try await bench.log() == before)
    let item = try await bench.json(
      "ingest", "--source", "feed", input: #"{"id":"7","title":"Build"}"#)
    let key = try #require(item["fresh"]?[0]?["id"]?.text)
    try await bench.run("receipt", "acted", key, "--action", "REPLY")
    let listed = try await bench.json("receipts")["receipts"]?.list ?? []
    #expect(Set(listed.map { $0["action"]?.text }) == ["REPLY", "done"])
    #expect(listed.compactMap { $0["text"]?.text } == ["went far"])
    #expect(listed.compactMap { $0["title"]?.text } == ["Build"])
    let table = try await bench.run("receipts").output
    #expect(table.contains(#"acted: done "went far""#) && table.contains("feed Build"), "\(table)")
  }

  @Test("A receipt for a repeating reminder that has not fired is refused with its first time")
  func notRungYet() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--on", "mon,wed", "--at", "13:00")
    let id = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    #expect(id.hasPrefix("c1r."))
    let before = try await bench.log()
    let early = try await bench.run("receipt", "acted", id, "--action", "done")
    #expect(early.status == 66 && early.output.isEmpty)
    #expect(early.errors.contains("Gym has not fired yet; it fires first on Mon 2026-11-23 13:00"))
    #expect(try await bench.log() == before)
    let rung = try await bench.json(
      "receipt", "acted", id, "--action", "done", now: "2026-11-23T13:00:00+01:00")
    #expect(rung["nominal"]?.text == "2026-11-23T13:00")
  }

  @Test("An unknown id, action, state or limit is refused")
  func refused() async throws {
    let (bench, _, id) = try await reminded()
    let before = try await bench.log()
    for unknown in ["c1.aaaaaaaaaaaaaaaa", "c1r.aaaaaaaaaaaaaaaa", "c1i.aaaaaaaaaaaaaaaa", "x"] {
      for verb in ["delivered", "opened", "dismissed"] {
        let answer = try await bench.run("receipt", verb, unknown)
        #expect(answer.status == 66 && answer.errors.contains(unknown), "\(answer)")
      }
    }
    #expect(try await bench.run("receipt", "acted", id).status == 64)
    let long = String(repeating: "x", count: 2_001)
    let cases: [([String], Int32)] = [
      (["receipt", "acted", id, "--action", ""], 65), (["receipts", "--limit", "0"], 64),
      (["receipt", "acted", id, "--action", "REPLY", "--text", long], 65),
      (["receipts", "--limit", "100001"], 64), (["receipts", "--state", "seen"], 64),
    ]
    for (arguments, status) in cases {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == status, "\(arguments) \(answer)")
    }
    #expect(try await bench.log() == before)
  }
}
