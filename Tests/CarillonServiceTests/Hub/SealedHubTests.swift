#if Service
import Carillon
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import CarillonPostgres

/// A sealed store whose devices sync through a hub, with real processes over TLS.
@Suite(
  .enabled(if: Shell.has("openssl"), "openssl is not installed"),
  .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct SealedHubTests {
  /// Lets a new sealed store join a hub, and returns the person and the process.
  private static func make(_ hub: HubBench) async throws -> (person: String, at: RunningHub) {
    let process = try await hub.serveSecurely()
    let made = try await hub.bench.start(
      ["init", "--sealed", "--replica", "first", "--json", "--store", hub.bench.path("first")]
    ).end()
    let person = try String(#require(made.output.firstMatch(of: /"store":"([\w-]+)"/)).output.1)
    let link = try await hub.invite(try await hub.addPerson(person), to: process)
    let joined = try await hub.bench.link(
      "join", link, hub.bench.path("first"), "--replica", "first")
    try #require(joined.status == 0, "\(joined)")
    try await hub.bench.add("Ravenously", to: "first")
    try await hub.sync("first")
    return (person, process)
  }

  @Test(
    "An invitation brings the keys, which the hub cannot open, and a revoked device reads no more",
    arguments: HubBench.Storage.allCases)
  func devices(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let (_, process) = try await Self.make(hub)
    let place = ["--at", process.address, "--store", hub.bench.path("first")]
    let invited = try await hub.bench.start(["invite", "--role", "watch", "--json"] + place).end()
    let link = try hub.link(of: invited)
    #expect(link.contains("#sealed=") && link.contains("&secret="), "\(invited)")
    let joined = try await hub.bench.link(
      "join", link, hub.bench.path("wrist"), "--replica", "wrist")
    #expect(joined.status == 0, "\(joined)")
    #expect(try await hub.titles("wrist") == ["Ravenously"])
    // The replica of the device is known at the hub only.
    let revoked = try await hub.bench.start(["access", "revoke", "wrist"] + place).end()
    #expect(revoked.output.contains("sealed with the new key of epoch 2-"), "\(revoked)")
    try await hub.bench.add("Tea", to: "first")
    let direct = try await hub.bench.start(
      ["sync", hub.bench.path("first"), hub.bench.path("wrist")]
    ).end()
    #expect(direct.status == 0, "\(direct)")
    #expect(try await hub.titles("wrist") == ["Ravenously"])
  }

  @Test("A hub that lost the events of a sealed store makes no empty store, and no plain one")
  func emptied() async throws {
    let hub = try await HubBench.make(.postgres)
    let (_, process) = try await Self.make(hub)
    let place = ["--at", process.address, "--store", hub.bench.path("first")]
    func invite() async throws -> String {
      try hub.link(
        of: try await hub.bench.start(["invite", "--role", "watch", "--json"] + place).end())
    }
    let links = [try await invite(), try await invite()]
    let joined = try await hub.bench.link("join", links[0], hub.bench.path("a"), "--replica", "a")
    try #require(joined.status == 0, "\(joined)")
    for sql in [
      "DELETE FROM run", "DELETE FROM head", "DELETE FROM closing",
      "UPDATE log SET last_position = 0, stamp = stamp + 1, byte_count = 0",
    ] { try PostgresServer.shared.get().run(sql, in: PostgresOptions(hub.database)) }
    let refused = try await hub.bench.link("join", links[1], hub.bench.path("b"), "--replica", "b")
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.errors.contains("lacks the start of the sealed store"), "\(refused)")
    let keyless = try await hub.bench.link(
      "clone", process.address, hub.bench.path("b"), "--without-keys", "--replica", "b")
    #expect(keyless.status == 65, "\(keyless)")
    #expect(!FileManager.default.fileExists(atPath: hub.bench.path("b/log")))
    // A device brings back what it has, and the join goes on.
    try await hub.sync("first")
    let again = try await hub.bench.link("join", links[1], hub.bench.path("b"), "--replica", "b")
    #expect(again.status == 0, "\(again)")
    #expect(try await hub.titles("b") == ["Ravenously"])
  }

  @Test("A ReplicaID ends the access of the name of its replica; one without access is reported")
  func revokeByReplica() async throws {
    let hub = try await HubBench.make(.files)
    let (_, process) = try await Self.make(hub)
    let place = ["--at", process.address, "--store", hub.bench.path("first")]
    let invited = try await hub.bench.start(["invite", "--role", "watch", "--json"] + place).end()
    let joined = try await hub.bench.link(
      "join", try hub.link(of: invited), hub.bench.path("wrist"), "--replica", "wrist")
    #expect(joined.status == 0, "\(joined)")
    try await hub.sync("wrist")
    try await hub.sync("first")
    let status = try await hub.bench.start(
      ["status", "--json", "--store", hub.bench.path("wrist")]
    ).end()
    let replica = try #require(
      status.output.firstMatch(of: /"replica":\{"id":"([0-9a-f-]{36})"/)?.output.1, "\(status)")
    let revoked = try await hub.bench.start(["access", "revoke", String(replica)] + place).end()
    #expect(revoked.output.hasPrefix("wrist (watch, "), "\(revoked)")
    #expect(revoked.output.contains("sealed with the new key of epoch 2-"), "\(revoked)")
    let refused = try await hub.bench.start(
      ["sync", hub.bench.path("wrist"), process.address]
    ).end()
    #expect(refused.status == 77, "\(refused)")
    let again = try await hub.bench.start(["access", "revoke", String(replica)] + place).end()
    #expect(again.errors.contains("nobody named wrist has access at "), "\(again)")
  }

  @Test(
    "What a device erases is gone from the hub's database and from the other device",
    arguments: HubBench.Storage.allCases)
  func erases(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let (person, process) = try await Self.make(hub)
    let place = ["--store", hub.bench.path("first")]
    let link = try hub.link(
      of: await hub.bench.start(
        ["invite", "--role", "watch", "--json", "--at", process.address] + place
      ).end())
    let joined = try await hub.bench.link(
      "join", link, hub.bench.path("wrist"), "--replica", "wrist")
    try #require(joined.status == 0, "\(joined)")
    let done = try await hub.bench.start(
      ["done", "Ravenously", "--store", hub.bench.path("wrist")]
    ).end()
    try #require(done.status == 0, "\(done)")
    for store in ["wrist", "first"] { try await hub.sync(store) }
    let payloads = try await Self.events(of: "first", hub).mapValues(\.payload)
    let before = try await hub.contents(of: person)
    #expect(payloads.values.allSatisfy { before.range(of: Data($0)) != nil })
    let erased = try await hub.bench.start(
      ["habit", "delete", "Ravenously", "--erase", "--yes"] + place
    ).end()
    try #require(erased.status == 0, "\(erased)")
    for store in ["first", "wrist"] { try await hub.sync(store) }
    try await process.stop()
    let after = try await hub.contents(of: person)
    let events = try await Self.events(of: "first", hub)
    let gone = events.filter { $1.redacted != nil }
    // The habit, and what the other device recorded.
    #expect(gone.count == 2)
    for (id, payload) in payloads {
      #expect((after.range(of: Data(payload)) == nil) == (gone[id] != nil), "\(id)")
    }
    let other = try await Self.events(of: "wrist", hub)
    #expect(Set(other.filter { $1.redacted != nil }.keys) == Set(gone.keys))
    #expect(try await hub.titles("wrist") == [])
  }

  /// The events of a device's store, as its log has them.
  private static func events(
    of store: String, _ hub: HubBench
  ) async throws -> [EventID: StoredEvent] {
    let store = try await Store.open(at: URL(filePath: hub.bench.path(store)))
    var events: [EventID: StoredEvent] = [:]
    try store.keptLog.scan(after: .start) { event in
      events[event.id] = event.event
      return true
    }
    await store.close()
    return events
  }

  @Test("A device that joins a sealed store over the quota reads it, and sends its events later")
  func joinOverQuota() async throws {
    let hub = try await HubBench.make(.files)
    let (person, process) = try await Self.make(hub)
    let place = ["--at", process.address, "--store", hub.bench.path("first")]
    let invited = try await hub.bench.start(["invite", "--role", "watch", "--json"] + place).end()
    let link = try hub.link(of: invited)
    _ = try await hub.hub("quota", person, "--bytes", "1")
    let joined = try await hub.bench.link(
      "join", link, hub.bench.path("wrist"), "--replica", "wrist")
    #expect(joined.status == 0 && joined.errors.contains("a larger quota"), "\(joined)")
    #expect(try await hub.titles("wrist") == ["Ravenously"])
    try await hub.bench.add("Tea", to: "wrist")
    _ = try await hub.hub("quota", person, "--bytes", "1000000")
    try await hub.sync("wrist")
    try await hub.sync("first")
    #expect(try await hub.titles("first") == ["Ravenously", "Tea"])
  }

  @Test("A pairing through a hub says on both devices that the quota is nearly used up")
  func pairNearQuota() async throws {
    let hub = try await HubBench.make(.files)
    let (person, process) = try await Self.make(hub)
    let store = try await Store.open(at: URL(filePath: hub.bench.path("first")))
    for number in 1...300 { _ = try await store.add(Habit("Habit \(number)")) }
    await store.close()
    try await hub.sync("first")
    let joined = try await hub.bench.link(
      "join", try await hub.invite(person, to: process), hub.bench.path("new"), "--replica", "new")
    try #require(joined.status == 77, "\(joined)")
    let cloned = try await hub.bench.link(
      "clone", process.address, hub.bench.path("new"), "--without-keys")
    try #require(cloned.status == 0, "\(cloned)")
    let list = try await hub.hub("people", "list", "--json")
    let used = try Int(#require(list.output.firstMatch(of: /"bytes":(\d+)/), "\(list)").output.1)
    _ = try await hub.hub("quota", person, "--bytes", "\(try #require(used) * 6 / 5)")
    let paired = try await Shell.run(
      """
      words() {
        for _ in $(seq 500); do ! grep -q 'Type these words' "$1" || break; sleep 0.05; done
        sed -n 's/^Type these words.*: //p' "$1"
      }
      mkfifo to-new to-first
      carillon pair --store new --replica new <to-new >new.out 2>new.err & new=$!
      carillon pair --store first <to-first >first.out 2>first.err & first=$!
      exec 3>to-new 4>to-first
      words new.err >&4
      words first.err >&3
      wait $new; wait $first
      grep -h 'Used at the hub' new.err first.err
      grep -q 'too, with --store and its store: carillon pair http' new.err
      """, in: hub.bench)
    let notice = /Used at the hub: [\d.]+ of [\d.]+ KB\. .* operator/
    #expect(paired.status == 0 && paired.output.matches(of: notice).count == 2, "\(paired)")
    #expect(try await hub.titles("new").count == 301)
  }

  @Test("A device whose invitation has no keys gets a hint how to get them")
  func withoutKeys() async throws {
    let hub = try await HubBench.make(.files)
    let (person, process) = try await Self.make(hub)
    let joined = try await hub.bench.link(
      "join", try await hub.invite(person, to: process), hub.bench.path("new"), "--replica", "new")
    #expect(joined.status == 77 && joined.errors.contains("--without-keys"), "\(joined)")
    let clone = ["clone", process.address, hub.bench.path("new"), "--replica", "new"]
    let refused = try await hub.bench.start(clone).end()
    #expect(refused.status == 77 && refused.errors.contains(": carillon clone"), "\(refused)")
    #expect(refused.errors.contains(" --replica new --role phone --without-keys"), "\(refused)")
    let cloned = try await hub.bench.start(clone + ["--without-keys"]).end()
    #expect(cloned.status == 0 && cloned.output.contains("without keys"), "\(cloned)")
    #expect(cloned.output.contains(" pair "), "\(cloned)")
    let read = try await hub.bench.start(["today", "--store", hub.bench.path("new")]).end()
    #expect(read.status == 77 && read.errors.contains(" pair; or there"), "\(read)")
  }
}
#endif
