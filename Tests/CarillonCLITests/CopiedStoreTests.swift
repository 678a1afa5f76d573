import Testing

/// Store directories that were copied by hand.
struct CopiedStoreTests {
  @Test("A query on a copied directory writes nothing")
  func queries() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try bench.copy("phone", to: "copy")
    let before = try await bench.log("copy")
    let queries = [
      ["pending"], ["status"], ["replicas"], ["habit", "list"], ["habit", "show", "Walk"],
      ["explain", "Walk"], ["permission"], ["show", "phone@1"], ["log"], ["export"], ["verify"],
      ["rebuild", "--check"], ["pending", "--zone", "Asia/Tokyo"],
    ]
    for query in queries {
      let answer = try await bench.startPlain(
        query + ["--now", Workbench.now], store: "copy"
      ).answer()
      #expect(answer.status == 0, "\(query) \(answer)")
    }
    #expect(try await bench.log("copy") == before)
  }

  @Test(
    "A copied directory continues under a new identity", arguments: StorageVerbTests.storages)
  func identity(storage: String) async throws {
    let bench = try Workbench()
    try await bench.make("phone", storage: storage)
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let original = try #require(try await bench.json("status")["replica"]?["id"]?.text)
    try bench.copy("phone", to: "copy")
    let writing = try await bench.run("done", "Walk", store: "copy")
    #expect(writing.errors == "the store directory is a copy, so the log takes a new identity\n")
    try await bench.run("done", "Walk", "--on", "2026-11-22")
    let replicas = try await bench.json("replicas", store: "copy")["replicas"]?.list ?? []
    let own = try #require(replicas.first { $0["predecessor"]?.text == original }, "\(replicas)")
    let id = try await bench.json("status", store: "copy")["replica"]?["id"]?.text
    #expect(own["replica"]?.text == id)
    #expect(id != original)
    #expect(try await bench.json("status")["replica"]?["id"]?.text == original)

    let report = try await bench.json("sync", bench.path("copy"))
    #expect(report["forks"]?.list == [])
    #expect(try await bench.digest() == (try await bench.digest("copy")))
    #expect(try await bench.run("diff", bench.path("phone"), bench.path("copy")).status == 0)
    #expect(try await bench.json("sync", bench.path("copy"))["method"]?.text == "equal")
  }

  // MARK: - A restored backup

  /// A store that reminds at 17:00, a system file with its queue, and a copy of its directory.
  private func restored() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("permission", "ask")
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on", "--badge", "on")
    try await bench.run("plan", "--apply", bench.path("system.json"))
    try bench.copy("phone", to: "copy")
    return bench
  }

  @Test(
    "Before it writes anything, a copy answers as its original",
    arguments: [Workbench.now, "2026-11-24T09:00:00+01:00", "2026-11-28T09:00:00+01:00"])
  func answers(now: String) async throws {
    let bench = try await restored()
    let before = try await bench.ids("copy")
    let queries = [
      ["pending"], ["pending", "--days", "1"], ["pending", "--limit", "3"], ["explain", "Walk"],
      ["permission", "show"], ["habit", "show", "Walk"],
      ["plan", "--against", bench.path("system.json")],
    ]
    for query in queries {
      // Twice, since the second answer may come from the kept plan.
      for _ in 0..<2 {
        let copy = try await bench.start(query, store: "copy", now: now).answer()
        let phone = try await bench.start(query, now: now).answer()
        #expect(copy.status == phone.status && copy.output == phone.output, "\(query) \(copy)")
      }
    }
    let pending = try await bench.json("pending", store: "copy", now: now)
    #expect(pending["pending"]?.list.isEmpty == false, "\(pending)")
    let status = try await bench.json("status", store: "copy", now: now)
    #expect(status["replica"]?["name"]?.text == "phone")
    #expect(try await bench.ids("copy") == before)
    #expect(try await bench.run("rebuild", "--check", store: "copy", now: now).status == 0)
  }

  @Test("A copy need not ask for permission or turn on alerts again")
  func known() async throws {
    let bench = try await restored()
    let before = try await bench.ids("copy")
    #expect(try await bench.run("permission", "ask", store: "copy").status == 1)
    #expect(try await bench.ids("copy") == before)
    let known = try await bench.json("permission", "grant", store: "copy")
    #expect(known["events"] == .list([]), "\(known)")
    try await bench.run("alerts", "--sound", "on", store: "copy")
    let shown = try await bench.json("permission", "show", store: "copy")
    #expect(shown["sound"] == .bool(true) && shown["alerts"] == .bool(true))
    #expect(shown["status"]?.text == "authorized")
  }

  @Test("A copy leaves the system's requests unchanged, and records them once")
  func applied() async throws {
    let bench = try await restored()
    let file = bench.path("system.json")
    let held = try await bench.json("pending")["pending"]?.list.count
    for now in [Workbench.now, "2026-11-23T12:30:00+01:00"] {
      let answer = try await bench.json("plan", "--apply", file, store: "copy", now: now)
      #expect(answer["blocked"] == .null)
      #expect(answer["remove"]?.list == [] && answer["add"]?.list == [], "\(answer)")
      #expect(answer["unchanged"]?.number == held)
      #expect(answer["events"]?.list.isEmpty == (now != Workbench.now), "\(answer)")
    }
    let due = "2026-11-23T17:05:00+01:00"
    let fired = try await bench.json("plan", "--apply", file, store: "copy", now: due)
    #expect(fired["fired"]?.list.map { $0["title"]?.text } == ["Walk"])
    #expect(fired["badge"]?.number == 1)
  }

  @Test(
    "Next to a watch, a copy reminds in place of its predecessor, before and after it wrote")
  func watch() async throws {
    let bench = try await restored()
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    try await bench.run("permission", "grant", store: "watch")
    try await bench.run("alerts", "on", store: "watch")
    for verb in [["pending"], ["done", "Walk"]] {
      _ = try await bench.start(verb, store: "copy").answer()
      let synced = try await bench.run("sync", bench.path("watch"), store: "copy")
      #expect(synced.status == 0, "\(synced)")
      #expect(try await bench.json("pending", store: "copy")["pending"]?.list.isEmpty == false)
      #expect(try await bench.json("pending", store: "watch")["pending"]?.list == [])
    }
  }
}
