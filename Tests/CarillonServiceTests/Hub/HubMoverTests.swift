#if Service
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

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
}

extension StoreID {
  /// The shard of a person; see record 0058.
  fileprivate var hubShard: Int {
    let digest = PayloadDigest(bytes).bytes
    return (Int(digest[0]) << 8 | Int(digest[1])) % 1_024
  }
}
#endif
