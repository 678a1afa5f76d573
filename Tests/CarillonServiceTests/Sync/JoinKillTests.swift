#if Service
import CarillonTestSupport
import Foundation
import Testing

/// `carillon join` that is ended at any moment, and the same command again.
struct JoinKillTests {
  @Test(
    "After kill -9 at any moment, the same join goes on and leaves one entry",
    arguments: [true, false])
  func killed(isSealed: Bool) async throws {
    let bench = try await ServiceBench.make(isSealed: isSealed)
    let service = try await bench.serve()
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for number in 0..<12 {
      let (name, link) = ("w\(number)", try await bench.invite("watch"))
      let join = try await bench.start(["join", link, bench.path(name), "--replica", name])
      try await Task.sleep(for: .milliseconds(Int.random(in: 5...150, using: &generator)))
      join.signal(SIGKILL)
      _ = try await join.end()
      try await Self.expectJoin(link, name, in: bench, "seed \(seed)")
    }
    try await service.stop()
  }

  @Test(
    "After kill -9 at any moment, the same join of a hub goes on",
    arguments: [HubBench.Storage.files])
  func killedAtHub(storage: HubBench.Storage) async throws {
    let (hub, process, person) = try await HubBench.joined(storage)
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for number in 0..<6 {
      let (name, link) = ("w\(number)", try await hub.invite(person, to: process))
      let join = try await hub.bench.start(["join", link, hub.bench.path(name), "--replica", name])
      try await Task.sleep(for: .milliseconds(Int.random(in: 5...150, using: &generator)))
      join.signal(SIGKILL)
      _ = try await join.end()
      let again = try await hub.bench.link("join", link, hub.bench.path(name), "--replica", name)
      #expect(again.status == 0, "seed \(seed) \(again)")
      let list = try await hub.bench.link(
        "access", "list", "--json", "--at", process.address, "--store", hub.bench.path(name))
      let count = list.output.matches(of: /"name":"([^"]+)"/).count { $0.output.1 == name }
      #expect(count == 1, "seed \(seed) \(list)")
    }
  }

  /// Requires that the same join ends with a store, and with one entry in the access list.
  private static func expectJoin(
    _ link: String, _ name: String, in bench: ServiceBench, _ seed: String
  ) async throws {
    let again = try await bench.link("join", link, bench.path(name), "--replica", name)
    #expect(again.status == 0, "\(seed) \(again)")
    let sync = try await bench.link("sync", "--store", bench.path(name))
    #expect(sync.status == 0, "\(seed) \(sync)")
    let list = try await bench.run("access", "list", "--json")
    let count = list.output.matches(of: /"name":"([^"]+)"/).count { $0.output.1 == name }
    #expect(count == 1, "\(seed) \(list)")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: bench.path("\(name)/remotes"))
    #expect(files.count == 1, "\(seed) \(files)")
  }

  @Test("Of two joins at once in one directory, one goes on, and the other names it")
  func twice() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for number in 0..<6 {
      let (name, link) = ("w\(number)", try await bench.invite("watch"))
      let command = ["join", link, bench.path(name), "--replica", name]
      let joins = [try await bench.start(command), try await bench.start(command)]
      let ends = [try await joins[0].end(), try await joins[1].end()]
      #expect(ends.contains { $0.status == 0 }, "\(ends)")
      for end in ends where end.status != 0 {
        #expect(end.status == 75 && end.errors.contains("another join runs in"), "\(end)")
      }
      try await Self.expectJoin(link, name, in: bench, "number \(number)")
    }
    try await service.stop()
  }

  @Test("A device that made its credential repeats its exchange; any other device is refused")
  func repeated() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let (hub, process, person) = try await HubBench.joined(.files)
    let links = (try await bench.invite("watch"), try await hub.invite(person, to: process))
    func post(_ link: String, _ credential: String, isHub: Bool) async throws -> WireAnswer {
      let code = try #require(link.firstMatch(of: /invite=([\w-]+)/)).output.1
      let body = #"{"code":"\#(code)","name":"pad","credential":"\#(credential)"}"#
      return isHub
        ? try await process.ask("POST", "/v1/join", body: body)
        : try await service.ask("POST", "/v1/join", [], body: body)
    }
    for (link, isHub) in [(links.0, false), (links.1, true)] {
      let own = String(repeating: "A", count: 43)
      let short = try await post(link, "short", isHub: isHub)
      #expect(short.status == 422 && !short.body.contains("short"), "\(short)")
      let first = try await post(link, own, isHub: isHub)
      #expect(first.status == 201 && first.body.contains(own), "\(first)")
      let second = try await post(link, own, isHub: isHub)
      #expect(second.status == 201 && second.body == first.body, "\(second)")
      let other = try await post(link, String(repeating: "B", count: 42) + "A", isHub: isHub)
      #expect(other.status == 403, "\(other)")
    }
    try await service.stop()
  }

  @Test("Ctrl-C and SIGTERM early in a join end it by the signal", arguments: [SIGINT, SIGTERM])
  func signalled(number: Int32) async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let link = try await bench.invite("watch")
    let silent = try WireServer { _, _ in true }
    let join = try await bench.start([
      "join", link.replacing(":\(service.port)/", with: ":\(silent.port)/"), bench.path("w"),
      "--replica", "w",
    ])
    try await Task.sleep(for: .milliseconds(500))
    join.signal(number)
    let ended = try await join.end()
    #expect(ended.wasSignalled && ended.status == number, "\(ended)")
    #expect(!ended.errors.contains("carillon-link"), "\(ended)")
    try await service.stop()
  }

  @Test("In the directory of an interrupted join, status and sync say to run the join again")
  func hints() async throws {
    let bench = try await ServiceBench.make()
    let file = bench.path("w/remotes/127.0.0.1_1.json.joining")
    try FileManager.default.createDirectory(
      atPath: bench.path("w/remotes"), withIntermediateDirectories: true)
    try Data("{}".utf8).write(to: URL(filePath: file))
    for verb in ["status", "sync"] {
      let answer = try await bench.link(verb, "--store", bench.path("w"))
      #expect(
        answer.status == 66 && answer.errors.contains("join again with the same link"), "\(answer)")
      #expect(!answer.errors.contains("init"), "\(answer)")
    }
  }

  @Test("A service that starts removes files that a killed process left long ago")
  func unfinished() async throws {
    let bench = try await ServiceBench.make()
    try await bench.serve().stop()
    let old = bench.path("phone/service/running/a.json.\(UUID().uuidString)")
    let new = bench.path("phone/service/running/b.json.\(UUID().uuidString)")
    for file in [old, new] { try Data("{}".utf8).write(to: URL(filePath: file)) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: old)
    let service = try await bench.serve()
    #expect(!FileManager.default.fileExists(atPath: old))
    #expect(FileManager.default.fileExists(atPath: new))
    try await service.stop()
  }
}
#endif
