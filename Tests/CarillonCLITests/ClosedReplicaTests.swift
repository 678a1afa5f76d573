import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// `replicas close`: fewer heads by closing replicas that no longer write.
struct ClosedReplicaTests {
  @Test("70 copies that wrote once each are closed on every replica, without loss of an event")
  func copies() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk")
    try await bench.make("laptop", storeID: try await bench.json("status")["store"]?.text)
    try await bench.json("sync", bench.path("laptop"))
    for number in 0..<70 {
      try bench.copy("phone", to: "copy")
      let date = CivilDate("2026-09-01").adding(days: number).description
      try await bench.json("done", walk, "--on", date, store: "copy")
      try await bench.json("sync", bench.path("copy"))
      try FileManager.default.removeItem(at: bench.url("copy"))
    }
    let before = try await bench.json("sync", bench.path("laptop"))
    #expect(before["warnings"]?[0]?.text?.contains("72 heads") == true)
    let health = try await bench.json("status")["health"]?.list ?? []
    #expect(health.contains { $0.text?.contains("carillon replicas close --help") == true })

    let counted = try await bench.json("replicas", "close", "--all", "--dry-run")
    #expect(counted["closed"]?.number == 71 && counted["headsAfter"]?.number == 1)
    #expect(try await bench.heads("phone").count == 72)
    let closed = try await bench.json("replicas", "close", "--all")
    #expect(closed["closed"]?.number == 71)
    #expect(closed["headsBefore"]?.number == 72 && closed["headsAfter"]?.number == 1)
    #expect(closed["replicas"]?.list.count == 71)
    #expect(try await bench.heads("phone").count == 1)

    let after = try await bench.json("sync", bench.path("laptop"))
    #expect(after["warnings"]?.list.isEmpty == true)
    #expect(try await bench.heads("laptop") == bench.heads("phone"))
    // The laptop still writes: its next event opens its head again, and no other.
    try await bench.json("done", walk, store: "laptop")
    try await bench.json("sync", bench.path("laptop"))
    #expect(try await bench.heads("phone").count == 2)

    // A later clone gets all of it, and so does an import of an export.
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("new"), "--replica", "new")
    #expect(clone.status == 0)
    let export = try await bench.run("export", "--format", "events")
    try await bench.make("restored", storeID: try await bench.json("status")["store"]?.text)
    try bench.write(export.output, to: "export.ndjson")
    #expect(
      try await bench.run(
        "import", "--format", "events", bench.path("export.ndjson"), store: "restored"
      ).status == 0)
    for store in ["laptop", "new", "restored"] {
      try await bench.json("sync", bench.path(store))
      try await bench.json("sync", bench.path(store))
    }
    for store in ["laptop", "new", "restored"] {
      try await bench.json("sync", bench.path(store))
      #expect(try await bench.run("verify", store: store).status == 0, "\(store)")
    }
    for store in ["laptop", "new", "restored"] {
      try await bench.json("sync", bench.path(store))
      #expect(
        try await bench.json("sync", bench.path(store))["method"]?.text == "equal", "\(store)")
      #expect(try await bench.heads(store) == bench.heads("phone"), "\(store)")
      #expect(try await bench.digest(store) == bench.digest(), "\(store)")
    }
  }

  @Test("Replicas are selected by name, by ID, or by the time since they last wrote")
  func chosen() async throws {
    let bench = try await Workbench.withStore()
    let store = try await bench.json("status")["store"]?.text
    let walk = try await bench.addHabit("Walk")
    for (name, now) in [("old", "2026-08-01T12:00:00Z"), ("new", "2026-11-01T12:00:00Z")] {
      let clone = try await bench.start(
        ["clone", bench.path("phone"), bench.path(name), "--replica", name], now: now
      ).answer()
      try #require(clone.status == 0)
      try await bench.json("done", walk, store: name, now: now)
      try await bench.json("sync", bench.path(name), now: now)
    }
    #expect(store != nil)
    #expect(try await bench.run("replicas", "close").status == 64)
    #expect(try await bench.run("replicas", "close", "old", "--all").status == 64)
    #expect(try await bench.run("replicas", "close", "nobody").status == 66)
    let replicas = try await bench.json("replicas")["replicas"]?.list ?? []
    let new = try #require(replicas.first { $0["name"]?.text == "new" }?["replica"]?.text)
    let inactive = try await bench.json("replicas", "close", "--inactive-for", "90d", "--dry-run")
    #expect(inactive["headsBefore"]?.number == 3)
    let byID = try await bench.json("replicas", "close", String(new.prefix(9)))
    #expect(byID["replicas"]?.list.compactMap { $0["name"]?.text } == ["new"])
    #expect(byID["headsAfter"]?.number == 2)
    let byName = try await bench.run("replicas", "close", "old")
    #expect(byName.output.contains("Closed 1 head of 2; 1 is left."))
    let again = try await bench.run("replicas", "close", "old", "phone")
    #expect(again.status == 0 && again.output.contains("Nothing to close."))
  }
}

extension Workbench {
  /// The IDs of the heads that a store lists in a sync.
  fileprivate func heads(_ store: String) async throws -> Set<String> {
    let heads = try await json("status", store: store)["versionVector"]?.list ?? []
    return Set(heads.compactMap { $0["head"]?.text })
  }
}
