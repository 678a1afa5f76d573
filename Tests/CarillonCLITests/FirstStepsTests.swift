import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// What new users and tools need first.
struct FirstStepsTests {
  @Test("The list of habits has the state of each today, by the logical date")
  func today() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    _ = try await bench.addHabit("Read")
    _ = try await bench.addHabit("Water", "--target", "8")
    func today(_ now: String = Workbench.now) async throws -> [String: String] {
      let habits = try await bench.json("habit", "list", now: now)["habits"]?.list ?? []
      return Dictionary(
        uniqueKeysWithValues: habits.map { ($0["title"]?.text ?? "", $0["today"]?.text ?? "") })
    }
    #expect(try await today() == ["Walk": "open", "Read": "open", "Water": "open"])
    try await bench.run("done", "Walk")
    try await bench.run("skip", "Read")
    try await bench.run("done", "Water", "--amount", "3")
    #expect(try await today() == ["Walk": "done", "Read": "skipped", "Water": "open"])
    try await bench.run("done", "Water", "--amount", "5")
    #expect(try await today()["Water"] == "done")
    #expect(
      try await today("2026-11-24T00:00:00+01:00")
        == ["Walk": "open", "Read": "open", "Water": "open"])
  }

  @Test("habit show lists current and future pauses, including those of all habits")
  func pauses() async throws {
    let bench = try await Workbench.withStore()
    let id = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Other")
    #expect(try await bench.json("habit", "show", "Walk")["pauses"] == .list([]))
    try await bench.run("habit", "pause", "Walk", "--from", "2026-11-01", "--to", "2026-11-02")
    try await bench.run("habit", "pause", "Other")
    try await bench.run("habit", "pause", "Walk", "--from", "2026-12-01", "--to", "2026-12-09")
    try await bench.run("habit", "pause", "--all", "--from", "2026-11-20")
    let pauses = try await bench.json("habit", "show", "Walk")["pauses"]?.list ?? []
    #expect(pauses.map { $0["from"]?.text } == ["2026-11-20", "2026-12-01"])
    #expect(pauses.map { $0["to"] } == [.null, .text("2026-12-09")])
    #expect(pauses.map { $0["habit"] } == [.null, .text(id)])
    #expect(pauses.allSatisfy { $0["pause"]?.text?.count == 36 })
  }

  @Test("A title is found in any case, and a misspelled one is suggested")
  func nearTitle() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Caf\u{E9} au lait")
    let same = try await bench.run("done", "CAF\u{C9} AU LAIT")
    #expect(same.output == "Done: Caf\u{E9} au lait.\n", "\(same)")
    let near = try await bench.run("done", "cafe au liat")
    #expect(near.status == 66)
    #expect(near.errors.contains("did you mean \"Caf\u{E9} au lait\"?"), "\(near)")
    let far = try await bench.run("done", "Tea")
    #expect(far.status == 66 && !far.errors.contains("did you mean"))
    #expect(far.errors.contains("carillon habit list --all"))
  }

  @Test("A clone with a name that is already used reports its displayed name")
  func cloneName() async throws {
    let bench = try await Workbench.withStore()
    let same = try await bench.run(
      "clone", bench.path("phone"), bench.path("second"), "--replica", "phone",
      now: "2026-11-23T12:00:01+01:00")
    #expect(same.status == 0 && same.output.contains("Created replica phone.2"), "\(same)")
    #expect(
      same.errors.hasPrefix(
        "Another replica is also named phone: this one is listed as phone.2, and the other one "
          + "as phone.\nAnother phone is there already: phone. To give this one another role: "),
      "\(same)")
    // With a clock that is behind, the new one is the first of the name.
    let first = try await bench.run(
      "clone", bench.path("phone"), bench.path("third"), "--replica", "phone",
      now: "2026-11-23T11:59:00+01:00")
    #expect(
      first.errors.contains("this one is listed as phone, and the other one as phone.2.\n"),
      "\(first)")
    let other = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    #expect(other.status == 0 && other.errors.isEmpty, "\(other)")
  }

  @Test("The command that gives a new replica another role names its store, so it can be run")
  func cloneRole() async throws {
    let bench = try await Workbench.withStore()
    let second = bench.path("second")
    let clone = try await bench.run(
      "clone", bench.path("phone"), second, "--replica", "second",
      now: "2026-11-23T12:00:01+01:00")
    let parts = clone.errors.components(separatedBy: " replicas role ")
    let words = "To give this one another role: carillon --store "
    try #require(parts.count == 2 && parts[0].contains(words), "\(clone)")
    let changed = try await bench.run(
      "replicas", "role", String(parts[1].prefix { $0 != " " }), "tablet", store: "second")
    #expect(changed.status == 0, "\(changed)")
  }

  @Test("Projections of another version are rebuilt with a notice, except with --json")
  func otherVersion() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let digest = try await bench.digest()
    func becomeOlder() throws {
      let directory = bench.url("phone")
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
        guard name.hasPrefix("projection-v"), name.hasSuffix(".sqlite"),
          let dash = name.lastIndex(of: "-")
        else { continue }
        try FileManager.default.moveItem(
          at: directory.appending(path: name),
          to: directory.appending(path: "projection-v0" + name[dash...]))
      }
    }
    try becomeOlder()
    let listed = try await bench.run("habit", "list")
    #expect(listed.output.contains("Walk"))
    #expect(
      listed.errors.hasPrefix("rebuilding the projections: they have version 0, "),
      "\(listed)")
    #expect(try await bench.run("habit", "list").errors.isEmpty)
    #expect(try await bench.digest() == digest)
    try becomeOlder()
    #expect(try await bench.run("habit", "list", "--json").errors.isEmpty)
  }

  @Test("A store that received the maximum timestamp can still write and read")
  func lastTimestamp() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    var other = EventHistory(
      ReplicaID(high: 1, low: 1), milliseconds: Int64(UInt64.max >> 17))
    _ = other.run([[0xFA, 0x07, 0x00]], counter: .max)
    let line = """
      {"id":"\(other.last)","replica":"\(other.replica)","sequence":1,"payload":"+gcA"}
      """
    #expect(try await bench.run("import", "-", input: line).status == 0)
    for verb in [
      ["done", "Walk"], ["habit", "add", "Read"], ["alerts", "on"],
      ["permission", "grant"], ["skip", "Walk"],
    ] {
      let answer = try await bench.start(verb + ["--json"]).answer()
      #expect(answer.status == 0, "\(verb) \(answer)")
    }
    for verb in [["pending"], ["habit", "list"], ["status"], ["log"], ["verify"], ["replicas"]] {
      let answer = try await bench.start(verb).answer()
      #expect(answer.status == 0, "\(verb) \(answer)")
    }
  }

  @Test("A new replica says which role it took if none is given, and how to change it")
  func role() async throws {
    let bench = try Workbench()
    let usual = try await bench.run("init", "--replica", "it's", store: "usual")
    let hint = "replicas role 'it'\\''s' ROLE\n"
    #expect(usual.output.contains("\nIts role is phone; to change that: carillon "), "\(usual)")
    #expect(usual.output.contains(hint), "\(usual)")
    let changed = try await bench.run("replicas", "role", "it's", "server", store: "usual")
    #expect(changed.status == 0, "\(changed)")
    let given = try await bench.run("init", "--replica", "a", "--role", "phone", store: "given")
    #expect(given.status == 0 && !given.output.contains("Its role"), "\(given)")
  }

  @Test("Views of a server say that it never reminds, and not that permission is missing")
  func server() async throws {
    let bench = try Workbench()
    try await bench.run("init", "--replica", "home", "--role", "server")
    try await bench.run("habit", "add", "Walk", "--at", "17:00")
    for verb in ["today", "week"] {
      let answer = try await bench.run(verb)
      #expect(answer.output.contains("This replica is a server, which never reminds"), "\(answer)")
      #expect(!answer.output.contains("permission"), "\(answer)")
    }
  }

  @Test("A zone that is given to init is noted as one for this command, unless it is the device's")
  func zone() async throws {
    let bench = try Workbench()
    let other = try await bench.start(
      ["init", "--replica", "a"], store: "other", zone: "Asia/Tokyo", with: ["TZ": "Europe/Paris"]
    ).answer()
    #expect(other.errors.contains("for all commands: export TZ=Asia/Tokyo"), "\(other)")
    let same = try await bench.start(
      ["init", "--replica", "a"], store: "same", zone: "Asia/Tokyo", with: ["TZ": "Asia/Tokyo"]
    ).answer()
    #expect(same.status == 0 && same.errors.isEmpty, "\(same)")
  }
}
