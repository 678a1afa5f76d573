#if Service
import Carillon
import CarillonTestSupport
import Foundation
import Testing

/// Devices of a person that sync only through a hub, with real processes over TLS.
@Suite(
  .enabled(if: Shell.has("openssl"), "openssl is not installed"),
  .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct HubTests {
  @Test(
    "A new person's devices join by invitation, sync through the hub, and revoke each other",
    arguments: HubBench.Storage.allCases)
  func devices(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let process = try await hub.serveSecurely()
    let person = try await hub.addPerson()
    try await hub.join(person, as: "first", at: process)
    try await hub.bench.add("Walk", to: "first")
    try await hub.sync("first")
    let invited = try await hub.bench.link(
      "invite", "--role", "watch", "--at", process.address, "--json", "--store",
      hub.bench.path("first"))
    let link = try hub.link(of: invited)
    let joined = try await hub.bench.link(
      "join", link, hub.bench.path("wrist"), "--replica", "wrist")
    #expect(joined.status == 0, "\(joined)")
    #expect(try await hub.titles("wrist") == ["Walk"])
    try await hub.bench.add("Tea", to: "wrist")
    try await hub.sync("wrist")
    try await hub.sync("first")
    try await hub.bench.expectSame("first", "wrist")
    let again = try await hub.bench.link("join", link, hub.bench.path("x"), "--replica", "x")
    #expect(again.status == 77 && again.errors.contains("was used"), "\(again)")
    let place = ["--at", process.address, "--store", hub.bench.path("first")]
    let list = try await hub.bench.start(["access", "list", "--json"] + place).end()
    #expect(list.output.contains(#""name":"wrist""#), "\(list)")
    #expect(list.output.contains(#""maxDevices":16"#), "\(list)")
    let revoked = try await hub.bench.start(["access", "revoke", "wrist"] + place).end()
    #expect(revoked.status == 0 && revoked.output.contains("no longer has access"), "\(revoked)")
    let refused = try await hub.bench.link("sync", "--store", hub.bench.path("wrist"))
    let invite = "(carillon hub invite \(person) --role watch)"
    #expect(refused.status == 77 && refused.errors.contains(invite), "\(refused)")
    try await hub.sync("first")
  }

  @Test(
    "No news of what is added a second after a device was revoked reach its open stream",
    arguments: HubBench.Storage.allCases)
  func revokedStream(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let process = try await hub.serve("--heartbeat-seconds", "20")
    let person = try await hub.addPerson()
    for store in ["first", "wrist"] { try await hub.join(person, as: store, at: process) }
    let news = try await process.news(as: try hub.credential(of: "wrist", at: process))
    #expect(await news.next() != nil)
    let revoked = try await hub.bench.link(
      "access", "revoke", "wrist", "--at", process.address, "--store", hub.bench.path("first"))
    #expect(revoked.status == 0, "\(revoked)")
    try await Task.sleep(for: .seconds(1))
    try await hub.bench.add("Walk", to: "first")
    try await hub.sync("first")
    #expect(await news.next() == nil)
  }

  @Test(
    "A store that exists joins a hub, also again, and uses no invitation of another store",
    arguments: HubBench.Storage.allCases)
  func existing(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let process = try await hub.serveSecurely()
    try await hub.bench.add("Walk")
    let phone = hub.bench.path("phone")
    let status = try await hub.bench.run("status", "--json")
    let id = try String(#require(status.output.firstMatch(of: /"store":"([\w-]+)"/)).output.1)
    let other = try await hub.invite(try await hub.addPerson(), to: process)
    let refused = try await hub.bench.link("join", other, phone, "--replica", "phone")
    #expect(refused.status == 65 && refused.errors.contains("another store"), "\(refused)")
    let used = try await hub.bench.link("join", other, hub.bench.path("new"), "--replica", "new")
    #expect(used.status == 0, "\(used)")
    let link = try await hub.invite(try await hub.addPerson(id), to: process)
    let joined = try await hub.bench.link("join", link, phone, "--replica", "phone")
    #expect(joined.status == 0 && joined.output.contains("joined"), "\(joined)")
    try await hub.join(id, as: "tablet", at: process)
    for store in ["tablet", "phone"] { try await hub.sync(store) }
    try await hub.bench.expectSame("phone", "tablet")
    let again = try await hub.bench.link("join", try await hub.invite(id, to: process), phone)
    #expect(again.status == 0, "\(again)")
    let list = try await hub.bench.link("access", "list", "--at", process.address, "--json")
    #expect(list.output.matches(of: /"name":"phone"/).count == 1, "\(list)")
    let revoked = try await hub.bench.link("access", "revoke", "phone", "--at", process.address)
    #expect(revoked.status == 0, "\(revoked)")
    #expect(try await hub.bench.link("sync", "--store", phone).status == 77)
  }

  @Test(
    "The list of access at a hub shows the quotas, and what to do when they are used up",
    arguments: HubBench.Storage.allCases)
  func quotas(_ storage: HubBench.Storage) async throws {
    let (hub, process, person) = try await HubBench.joined(storage)
    let words = ["access", "list", "--at", process.address, "--store", hub.bench.path("one")]
    let roomy = try await hub.bench.start(words).end()
    let use = /Used at this hub: [\d.]+ of 268\.4 MB, and 1 of 16 devices\.\n/
    #expect(roomy.status == 0 && roomy.output.contains(use), "\(roomy)")
    #expect(!roomy.output.contains("ask"), "\(roomy)")
    _ = try await hub.hub("quota", person, "--bytes", "80", "--devices", "1")
    let full = try await hub.bench.start(words).end()
    #expect(full.output.contains(" bytes of 80, and 1 of 1 device.\n"), "\(full)")
    #expect(full.output.contains("No further device can join: revoke one"), "\(full)")
    #expect(full.output.contains("refuses new events: ask its operator"), "\(full)")
  }

  @Test(
    "Each sync and join says that 80 percent of the quota of bytes are used, also without news",
    arguments: HubBench.Storage.allCases)
  func nearQuota(_ storage: HubBench.Storage) async throws {
    let (hub, process, person) = try await HubBench.joined(storage)
    let store = try await Store.open(at: URL(filePath: hub.bench.path("one")))
    for number in 1...300 { _ = try await store.add(Habit("Habit \(number)")) }
    await store.close()
    let early = try await hub.sync("one")
    #expect(!early.errors.contains("quota"), "\(early)")
    let list = try await hub.hub("people", "list", "--json")
    let used = try Int(#require(list.output.firstMatch(of: /"bytes":(\d+)/), "\(list)").output.1)
    let quota = try #require(used) * 6 / 5
    _ = try await hub.hub("quota", person, "--bytes", "\(quota)")
    let notice = /Used at the hub: [\d.]+ of [\d.]+ KB\. After another [\d.]+ KB, .* operator/
    let idle = try await hub.sync("one")
    #expect(idle.errors.contains(notice), "\(idle)")
    try await hub.bench.add("Tea", to: "one")
    let near = try await hub.sync("one")
    #expect(near.errors.contains(notice), "\(near)")
    // A new replica, and one that joins again.
    for _ in 1...2 {
      let link = try await hub.invite(person, to: process)
      let joined = try await hub.bench.link(
        "join", link, hub.bench.path("two"), "--replica", "two")
      #expect(joined.status == 0 && joined.errors.contains(notice), "\(joined)")
    }
    let made = try await hub.bench.link(
      "join", try await hub.invite(person, to: process), hub.bench.path("three"), "--replica",
      "three", "--json")
    #expect(made.output.contains(#""quota":{"bytes":"#), "\(made)")
    try await hub.bench.add("Run", to: "one")
    let words = ["sync", "--store", hub.bench.path("one")]
    let json = try await hub.bench.start(words + ["--json"]).end()
    let member = /"quota":\{"bytes":\d+,"maxBytes":(\d+)\}/
    let found = try #require(json.output.firstMatch(of: member), "\(json)")
    #expect(Int(found.output.1) == quota && json.errors.isEmpty, "\(json)")
    try await hub.bench.add("Sing", to: "one")
    let quiet = try await hub.bench.start(words + ["--quiet"]).end()
    #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet)")
  }

  @Test(
    "Help for a hub and for serve shows the options",
    arguments: [
      ["help", "hub"], ["help", "hub", "people", "add"], ["hub", "help", "invite"],
      ["help", "serve"],
    ])
  func help(_ words: [String]) async throws {
    let bench = try await ServiceBench.make()
    let help = try await bench.start(words).end()
    let option = words.contains("serve") ? "--listen" : "--database"
    #expect(help.status == 0 && help.output.contains(option), "\(help)")
    let usage = words.contains("serve") ? "USAGE: carillon-serve" : "USAGE: carillon hub"
    #expect(help.output.contains(usage), "\(help)")
  }

  @Test(
    "A hub says why it takes no option for a store, before its name and after it",
    arguments: [
      (["--store", "phone"], "takes no --store"), (["--zone", "Europe/Berlin"], "times in UTC"),
      (["--zone=Europe/Berlin"], "hint: leave out --zone\n"),
      (["--now", "2026-11-23"], "hint: leave out --now\n"),
    ])
  func otherOptions(_ option: [String], _ said: String) async throws {
    let bench = try await ServiceBench.make()
    let verb = ["hub", "people", "list"]
    for words in [option + verb, ["hub"] + option + verb.dropFirst(), verb + option] {
      let refused = try await bench.start(words).end()
      #expect(refused.status == 64 && refused.errors.contains(said), "\(refused)")
    }
  }

  @Test(
    "A word that is no verb of a hub is refused, also in a request for help",
    arguments: [
      ["hub", "nosuch"], ["help", "hub", "nosuch"], ["hub", "help", "nosuch"],
      ["hub", "nosuch", "--help"], ["hub", "people", "nosuch"],
      ["help", "hub", "people", "nosuch"],
    ])
  func unknownVerb(_ words: [String]) async throws {
    let bench = try await ServiceBench.make()
    let refused = try await bench.start(words).end()
    let path = words.contains("people") ? "carillon hub people" : "carillon hub"
    let said = "error: \(path) has no command \"nosuch\"\nhint: see \(path) --help\n"
    #expect(refused.status == 64 && refused.errors == said, "\(refused)")
  }

  @Test("A viewer is not invited, since a hub shows nothing")
  func viewer() async throws {
    let (hub, process, person) = try await HubBench.joined(.files)
    let refused = try await hub.bench.link(
      "invite", "--role", "viewer", "--at", process.address, "--store", hub.bench.path("one"))
    #expect(refused.status == 64 && refused.errors.contains("a hub has no viewers"), "\(refused)")
    #expect(refused.errors.contains("hint: give one of phone, tablet"), "\(refused)")
    let admin = try await hub.hub("invite", person, "--role", "viewer")
    #expect(admin.status == 64 && admin.errors.contains("kind of device"), "\(admin)")
  }

  @Test("A link that only this computer can use says so, and how to make one for other devices")
  func loopback() async throws {
    let hub = try await HubBench.make(.files)
    let person = try await hub.addPerson()
    let words = ["invite", person, "--role", "phone", "--expires", "2d"]
    let near = try await hub.hub(words)
    let hasCode = near.output.contains("█") || near.errors.contains("libqrencode")
    #expect(near.status == 0 && hasCode, "\(near)")
    #expect(near.output.contains("carillon join 'http://127.0.0.1:8787/#invite="), "\(near)")
    #expect(
      near.output.contains(/once, until \w{3} \d+ \w{3} (\d{4} )?\d\d:\d\d UTC:\n/),
      "\(near)")
    #expect(near.errors.contains("only this computer can reach 127.0.0.1"), "\(near)")
    #expect(near.errors.contains("--public-address https://hub.example"), "\(near)")
    let quiet = try await hub.hub(words + ["--quiet"])
    #expect(quiet.errors.isEmpty && quiet.output.hasPrefix("http://127.0.0.1:8787/#"), "\(quiet)")
    let far = try await hub.hub(words + ["--public-address", "https://hub.example"])
    #expect(!far.errors.contains("only this computer"), "\(far)")
  }

  @Test("People are listed, limited and erased, and an erased person's device is refused")
  func administration() async throws {
    let (hub, process, person) = try await HubBench.joined(.postgres)
    try await hub.bench.add("Walk", to: "one")
    try await hub.sync("one")
    let list = try await hub.hub("people", "list", "--json")
    #expect(list.output.contains(#""person":"\#(person)""#), "\(list)")
    #expect(!list.output.contains(#""events":0,"#), "\(list)")
    try await hub.bench.add("Tea", to: "one")
    try await hub.sync("one")
    let compacted = try await hub.hub("compact", "--json")
    #expect(compacted.output.contains(#"{"people":1,"rows":"#), "\(compacted)")
    try await hub.sync("one")
    let many = try await hub.hub("people", "add", "--count", "3")
    #expect(many.output.split(separator: "\n").count == 3, "\(many)")
    let quota = try await hub.hub("quota", person, "--devices", "1")
    #expect(quota.status == 0 && quota.output.contains("1 of 1 device"), "\(quota)")
    let link = try await hub.invite(person, to: process)
    let full = try await hub.bench.link("join", link, hub.bench.path("two"), "--replica", "two")
    #expect(full.status == 74, "\(full)")
    let unasked = try await hub.hub("erase", person)
    #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
    let erased = try await hub.hub("erase", person, "--yes")
    #expect(erased.status == 0 && erased.output.contains("0 after"), "\(erased)")
    let refused = try await hub.bench.link("sync", "--store", hub.bench.path("one"))
    #expect(refused.status == 77, "\(refused)")
    let unknown = try await hub.hub("quota", person)
    #expect(unknown.status == 66, "\(unknown)")
  }

  @Test("With --quiet, verbs of a hub print what was asked for, and no confirmation")
  func quiet() async throws {
    let hub = try await HubBench.make(.files)
    let added = try await hub.hub("people", "add", "--quiet")
    let person = added.output.trimmingCharacters(in: .newlines)
    #expect(added.status == 0 && person.wholeMatch(of: /[\w-]+/) != nil, "\(added)")
    let many = try await hub.hub("people", "add", "--count", "2", "--quiet")
    #expect(many.output.split(separator: "\n").count == 2, "\(many)")
    let link = try await hub.hub(
      "invite", person, "--role", "phone", "--quiet", "--public-address", "https://hub.example")
    #expect(link.output.wholeMatch(of: /https:\/\/hub\.example\/\S+\n/) != nil, "\(link)")
    let list = try await hub.hub("people", "list", "--quiet")
    #expect(list.output.split(separator: "\n").count == 3, "\(list)")
    let quota = try await hub.hub("quota", person, "--quiet")
    #expect(quota.output.contains("of 16 devices"), "\(quota)")
    let erased = try await hub.hub("erase", person, "--yes", "--quiet")
    #expect(erased.status == 0 && erased.output.isEmpty, "\(erased)")
  }
}
#endif
