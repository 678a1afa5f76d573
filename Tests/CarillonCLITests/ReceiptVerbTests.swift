import Foundation
import Testing

/// `receipt` and `receipts`, as processes.
struct ReceiptVerbTests {
  private static let receipts: Shape = .object([
    "receipts": .list(
      .object([
        "key": .text, "source": .text, "revision": .text, "state": .text, "at": .text,
        "replica": .text,
      ]))
  ])

  /// A phone that may alert, with a habit at 17:00 and the id of today's reminder.
  private func reminded() async throws -> (bench: Workbench, habit: String, id: String) {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on")
    let id = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    return (bench, habit, id)
  }

  @Test("Delivered, opened and done from the notification; the history tells the last")
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

  @Test("Shown on the phone and synced: the watch removes it and does not plan it again")
  func syncedDevices() async throws {
    let (bench, _, id) = try await reminded()
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
    #expect(explained["occurrences"]?[0]?["reason"]?.text == "shown")
    #expect(try await bench.digest("watch") == bench.digest("phone"))
    // The person does it on the watch: the phone takes its alert away.
    try await bench.run("done", "Walk", store: "watch")
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    let phone = try await bench.json("plan", "--against", list)
    #expect(phone["removeDelivered"] == .list([.text(id)]))
  }

  @Test("A snooze is recorded and says that it moves nothing; text and names are kept")
  func actions() async throws {
    let (bench, _, id) = try await reminded()
    let snoozed = try await bench.run("receipt", "acted", id, "--action", "snooze")
    #expect(snoozed.status == 0 && snoozed.errors.contains("does not snooze"), "\(snoozed)")
    try await bench.run("receipt", "acted", id, "--action", "REPLY", "--text", "Soon")
    let log = try await bench.log()
    #expect(log.contains(#""action":"snooze""#))
    #expect(log.contains(#""action":"REPLY","text":"Soon""#))
    try await bench.run("receipt", "dismissed", id)
    try await bench.run("receipt", "opened", id)
    #expect(try await bench.json("receipts", "--limit", "1")["receipts"]?.list.count == 1)
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
    let cases = [
      ["receipt", "acted", id, "--action", ""], ["receipts", "--limit", "0"],
      ["receipt", "acted", id, "--action", "REPLY", "--text", long],
      ["receipts", "--limit", "100001"], ["receipts", "--state", "seen"],
    ]
    for arguments in cases {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == 65, "\(arguments) \(answer)")
    }
    #expect(try await bench.log() == before)
  }
}
