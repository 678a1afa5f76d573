import CarillonDocuments
import Foundation
import Testing

/// `carillon join-store`: merges two unrelated stores.
@Suite(.timeLimit(.minutes(30)))
struct JoinStoreTests {
  /// A phone and a watch of one store, and a tablet of another.
  private static func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try #require(clone.status == 0, "\(clone)")
    try await bench.make("tablet")
    _ = try await bench.addHabit("Read", "--at", "20:00", store: "tablet")
    return bench
  }

  private static func store(_ bench: Workbench, _ name: String) async throws -> String {
    try #require(try await bench.json("status", store: name)["store"]?.text)
  }

  private static func planned(_ bench: Workbench, _ name: String) async throws -> [String] {
    try await bench.json("pending", store: name)["pending"]?.list.compactMap { $0["id"]?.text }
      ?? []
  }

  @Test("A sealed store is not joined, in either direction, and both stay as they were")
  func sealed() async throws {
    let bench = try await Self.bench()
    let made = try await bench.run(
      "init", "--sealed", "--store", bench.path("sealed"), "--replica", "sealed")
    #expect(made.status == 0, "\(made)")
    let ids = [try await Self.store(bench, "phone"), try await Self.store(bench, "sealed")]
    for pair in [["phone", "sealed"], ["sealed", "phone"]] {
      let refused = try await bench.run("join-store", bench.path(pair[0]), bench.path(pair[1]))
      #expect(refused.status == 65 && refused.errors.contains("keys of its own"), "\(refused)")
    }
    #expect(try await Self.store(bench, "phone") == ids[0])
    #expect(try await Self.store(bench, "sealed") == ids[1])
  }

  @Test(
    "Three replicas of two joined stores, synced in a ring, reach one state and one plan")
  func firing() async throws {
    let bench = try await Self.bench()
    let id = try await Self.store(bench, "phone")
    let before = try await bench.ids().union(bench.ids("tablet"))
    let joined = try await bench.json("join-store", bench.path("phone"), bench.path("tablet"))
    #expect(joined["store"]?.text == id && joined["joined"] == .bool(true), "\(joined)")
    #expect(joined["sync"]?["eventsReceived"]?.number == 4, "\(joined)")
    #expect(try await Self.store(bench, "tablet") == id)
    let firing = ["phone", "watch", "tablet"]
    for round in 0..<2 {
      for (index, name) in firing.enumerated() {
        _ = try await bench.addHabit("\(name) \(round)", "--at", "1\(index):30", store: name)
        let next = bench.path(firing[(index + 1) % 3])
        let answer = try await bench.run("sync", bench.path(name), next)
        #expect(answer.status == 0, "\(answer)")
      }
    }
    // The last events travel once around the ring.
    for pair in [("phone", "watch"), ("watch", "tablet"), ("tablet", "phone")] {
      try await bench.run("sync", bench.path(pair.0), bench.path(pair.1))
    }
    let plan = try await Self.planned(bench, "phone")
    #expect(plan.count >= 8)
    for other in ["watch", "tablet"] {
      try await bench.expectSame(other)
      let others = try await Self.planned(bench, other)
      #expect(others == plan)
      let verified = try await bench.run("verify", store: other)
      #expect(verified.status == 0, "\(verified)")
    }
    let after = try await bench.ids()
    #expect(after.isSuperset(of: before))
  }

  @Test("A former replica of the joined store is refused until it is joined too")
  func oldPeers() async throws {
    let bench = try await Self.bench()
    try await bench.run("clone", bench.path("tablet"), bench.path("laptop"), "--replica", "laptop")
    #expect(
      try await bench.run("join-store", bench.path("phone"), bench.path("tablet")).status == 0)
    let refused = try await bench.run("sync", bench.path("laptop"), bench.path("tablet"))
    let command = ShellWord.joined(
      ["carillon", "join-store", bench.path("laptop"), bench.path("tablet")])
    #expect(refused.status == 65 && refused.errors.contains(command), "\(refused)")
    let joined = try await bench.run("join-store", bench.path("phone"), bench.path("laptop"))
    #expect(joined.status == 0, "\(joined)")
    try await bench.expectSame("laptop")
  }

  @Test("A second join has no effect")
  func again() async throws {
    let bench = try await Self.bench()
    let arguments = ["join-store", bench.path("phone"), bench.path("tablet"), "--json"]
    _ = try await bench.start(arguments).answer().document()
    let ids = try await bench.ids()
    let again = try await bench.start(arguments).answer().document()
    #expect(again["joined"] == .bool(false) && again["sync"]?["method"]?.text == "equal")
    #expect(try await bench.ids() == ids)
  }

  @Test("A killed join is finished by another join, or by a sync", arguments: 0..<6)
  func killed(round: Int) async throws {
    let bench = try await Self.bench()
    let habit = try await bench.addHabit("Swim", store: "tablet")
    try await bench.run("append", input: bench.entries(of: habit, count: 5_000), store: "tablet")
    let (first, second) = (bench.path("phone"), bench.path("tablet"))
    let id = try await Self.store(bench, "phone")
    let child = try await bench.start(["join-store", first, second])
    // At a different moment each time, in proportion to the machine's speed.
    for _ in 0..<(round * 20) where child.isRunning { try await Task.sleep(for: .milliseconds(2)) }
    child.signal(SIGKILL)
    _ = try await child.answer()
    let hasJoined = try await Self.store(bench, "tablet") == id
    let verb = hasJoined && round.isMultiple(of: 2) ? "sync" : "join-store"
    let answer = try await bench.run(verb, first, second)
    #expect(answer.status == 0, "\(answer)")
    try await bench.expectSame("tablet")
  }

  @Test("A store that cannot be joined is refused, and nothing is changed")
  func refused() async throws {
    let bench = try await Self.bench()
    let id = try await Self.store(bench, "tablet")
    func join(_ second: String) async throws -> Answer {
      try await bench.run("join-store", bench.path("phone"), bench.path(second))
    }
    try FileManager.default.createSymbolicLink(
      at: bench.url("alias"), withDestinationURL: bench.url("phone"))
    try bench.write("text", to: "file")
    for (second, status) in [
      ("phone", Int32(65)), ("./phone/", 65), ("alias", 65), ("nowhere", 66), ("file", 66),
    ] {
      let answer = try await join(second)
      #expect(answer.status == status && answer.errors.contains("\nhint: "), "\(second) \(answer)")
    }
    let holder = try await bench.start(["log", "--follow"], store: "tablet")
    try await holder.prints { $0.contains("habit.created") }
    let busy = try await join("tablet")
    #expect(busy.status == 75 && busy.errors.contains("is using"), "\(busy)")
    holder.signal(SIGINT)
    _ = try await holder.answer()
    #expect(try await Self.store(bench, "tablet") == id)
    #expect(try await join("tablet").status == 0)
  }
}
