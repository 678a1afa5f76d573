#if Service
import CarillonAccess
import CarillonModel
import CarillonTestSupport
import Foundation
import Synchronization
import Testing

@testable import CarillonPostgres

/// `carillon hub move` as a process that is killed.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct HubMoverTests {
  @Test("A mover that is killed at any moment while devices sync loses and doubles nothing")
  func killed() async throws {
    let hub = try await HubBench.make(.postgres)
    let second = try HubBench.newDatabase(on: PostgresServer.shared.get())
    let process = try await hub.serve("--groups", "second=\(second)")
    let person = try await hub.addPerson()
    try await hub.join(person, as: "one", at: process)
    try await hub.join(person, as: "two", at: process)
    let shard = try #require(StoreID(person)).hubShard
    for (number, group) in ["second", "main", "second", "main", "second", "main"].enumerated() {
      try await hub.bench.add("Walk \(number)", to: "one")
      try await hub.bench.add("Tea \(number)", to: "two")
      let mover = try await hub.startHub(["move", "\(shard)", group])
      // A sync may be refused as long as the shard has no owner.
      async let one = hub.bench.link("sync", "--store", hub.bench.path("one"))
      async let two = hub.bench.link("sync", "--store", hub.bench.path("two"))
      try await Task.sleep(for: .milliseconds(20 * number))
      mover.signal(SIGKILL)
      _ = try await mover.end()
      let moved = try await hub.hub("move", "\(shard)", group)
      #expect(moved.status == 0, "\(moved)")
      _ = try await (one, two)
      let shards = try await hub.hub("shards", "--json")
      #expect(
        shards.output.contains(#""number":\#(shard),"group":"\#(group)""#), "\(shards)")
    }
    for store in ["one", "two", "one"] { try await hub.sync(store) }
    try await hub.bench.expectSame("one", "two")
    #expect(try await hub.titles("one").count == 12)
    let log = try await hub.bench.link("log", "--json", "--store", hub.bench.path("one"))
    let events = log.output.split(separator: "\n").count
    let list = try await hub.hub("people", "list", "--json")
    #expect(list.output.contains(#""events":\#(events),"#), "\(list) instead of \(events)")
  }

  @Test("While a move is unfinished, a revoked device has no access, and others learn of the move")
  func unfinished() async throws {
    let hub = try await HubBench.make(.postgres)
    let second = try HubBench.newDatabase(on: PostgresServer.shared.get())
    let process = try await hub.serve("--groups", "second=\(second)", "--heartbeat-seconds", "1")
    let person = try await hub.addPerson()
    for store in ["one", "wrist"] { try await hub.join(person, as: store, at: process) }
    let one = try hub.credential(of: "one", at: process)
    let wrist = try hub.credential(of: "wrist", at: process)
    // The person is copied, and the old group still serves it.
    try await hub.startMove(of: person, to: "second", endingBefore: 6)
    let news = try await process.news(as: wrist)
    #expect(await news.next() != nil)
    let list = try await process.ask("GET", "/v1/access", as: one).body
    let device = /"id":"(\w+)","kind":"device","role":"\w+","name":"wrist"/
    let id = try #require(list.firstMatch(of: device), "\(list)").output.1
    #expect(try await process.ask("DELETE", "/v1/access/\(id)", as: one).status == 200)
    #expect(await news.next() == nil)
    for token in [wrist, AccessSecret(byteCount: AccessSecret.credentialBytes).text] {
      #expect(try await process.ask("GET", "/v1/access", as: token).status == 401)
    }
    // No group serves the person.
    try await hub.startMove(of: person, to: "second", endingBefore: 7)
    for _ in 1...9 {
      let refused = try await process.ask("GET", "/v1/access", as: one)
      #expect(refused.status == 503 && refused.body.contains("being moved"), "\(refused)")
    }
    #expect(try await process.ask("GET", "/v1/access", as: wrist).status == 401)
  }
}

extension HubMoverTests {
  @Test("A killed move is listed with the command that ends it, which an erasure names, too")
  func listed() async throws {
    let hub = try await HubBench.make(.postgres)
    let second = try HubBench.newDatabase(on: PostgresServer.shared.get())
    try await hub.serve("--groups", "second=\(second)").stop()
    let person = try await hub.addPerson()
    let shard = try #require(StoreID(person)).hubShard
    let finish = "finish it: carillon hub move \(shard) second --database "
    for (step, place, groups) in [
      (7, "main, moving to second", ""),
      (9, "second, with a copy left in main", #""main""#),
    ] {
      try await hub.startMove(of: person, to: "second", endingBefore: step)
      let list = try await hub.hub("shards")
      #expect(list.output.contains("\nshard \(shard): \(place)\n"), "\(list)")
      #expect(list.output.contains("\nIf no such move runs, \(finish)"), "\(list)")
      let givesUp = list.output.contains("give it up: carillon hub move \(shard) main --database ")
      #expect(givesUp == groups.isEmpty, "\(list)")
      let json = try await hub.hub("shards", "--json")
      #expect(json.output.contains(#""number":\#(shard),"#), "\(json)")
      #expect(json.output.contains(#""leftIn":[\#(groups)]"#), "\(json)")
      let refused = try await hub.hub("erase", person, "--yes")
      #expect(refused.status == 75 && refused.errors.contains(finish), "\(refused)")
    }
    #expect(try await hub.hub("move", "\(shard)", "second").status == 0)
    #expect(try await !hub.hub("shards").output.contains("finish it"))
    #expect(try await hub.hub("erase", person, "--yes").status == 0)
  }

  @Test("A group whose URL leads to another database refuses the start and the move with 65")
  func otherGroup() async throws {
    let server = try PostgresServer.shared.get()
    let hub = try await HubBench.make(.postgres)
    let (second, empty) = (
      try HubBench.newDatabase(on: server), try HubBench.newDatabase(on: server)
    )
    try await hub.serve("--groups", "second=\(second)").stop()
    #expect(try await hub.hub("move", "3", "second").status == 0)
    let hint = "give the URL of the group's own database"
    for url in [empty, hub.database] {
      let refused = try await hub.hub("--listen", "127.0.0.1:0", "--groups", "second=\(url)")
      #expect(refused.status == 65 && refused.errors.contains(hint), "\(refused)")
    }
    #expect(try await hub.hub("shards").output.contains("group second: usable"))
    // As an earlier version stored it.
    try server.run(
      "UPDATE member SET database = '\(empty)' WHERE name = 'second'",
      in: PostgresOptions(hub.database))
    let refused = try await hub.hub("move", "4", "second")
    #expect(refused.status == 65 && refused.errors.contains(hint), "\(refused)")
    let process = try await hub.serve()
    let health = try await process.ask("GET", "/readyz")
    #expect(health.body.contains("the database is not that of the group"), "\(health)")
    #expect(process.lines(with: hint).count == 1, "\(process.program.errors)")
    try await process.stop()
    try await hub.serve("--groups", "second=\(second)").stop()
    #expect(try await hub.hub("shards").output.contains("group second: usable"))
  }
}

extension HubBench {
  /// Moves the shard of a person, and ends before a transaction.
  fileprivate func startMove(
    of person: String, to group: String, endingBefore step: Int
  ) async throws {
    struct Ended: Error {}
    let mover = try PostgresHub(database)
    let shard = try #require(StoreID(person)).hubShard
    let count = Mutex(0)
    await #expect(throws: Ended.self) {
      try await mover.move(shard, to: group) {
        try count.withLock { count in
          count += 1
          if count == step { throw Ended() }
        }
      }
    }
    await mover.close()
  }
}

extension StoreID {
  /// The shard of a person; see record 0058.
  fileprivate var hubShard: Int {
    let digest = PayloadDigest(bytes).bytes
    return (Int(digest[0]) << 8 | Int(digest[1])) % 1_024
  }
}
#endif
