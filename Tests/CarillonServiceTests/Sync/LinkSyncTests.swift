#if Service
import CarillonTestSupport
import Foundation
import Testing

/// `carillon sync` and `carillon clone` with a service.
@Suite(.timeLimit(.minutes(10))) struct LinkSyncTests {
  /// Starts a service of the phone, and clones the watch from it.
  private func serveAndClone(
    _ bench: ServiceBench
  ) async throws -> (service: RunningService, address: String) {
    let service = try await bench.serve()
    let address = "http://127.0.0.1:\(service.port)"
    let clone = try await bench.link(
      "clone", address, bench.path("watch"), "--replica", "watch", credential: service.token)
    try #require(clone.status == 0, "\(clone)")
    return (service, address)
  }

  @Test("A replica is cloned from a service, and both get the other's events by a sync")
  func sync() async throws {
    let bench = try await ServiceBench.make()
    try await bench.add("Walk")
    let service = try await bench.serve()
    let address = "http://127.0.0.1:\(service.port)"
    let clone = try await bench.link(
      "clone", address, bench.path("watch"), "--replica", "watch", "--role", "watch",
      credential: service.token)
    #expect(clone.status == 0 && clone.output.contains("Created replica watch"), "\(clone)")
    try await bench.add("Tea", to: "watch")
    try await bench.add("Read")
    let sync = try await bench.link(
      "sync", address, "--store", bench.path("watch"), credential: service.token)
    #expect(sync.status == 0 && sync.output.hasPrefix("Sent "), "\(sync)")
    try await bench.expectSame("phone", "watch")
    let again = try await bench.link(
      "sync", address, "--store", bench.path("watch"), "--audit", credential: service.token)
    #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
  }

  @Test("clone and sync with a service work with 180 MB of address space, and refuse too little")
  func littleAddressSpace() async throws {
    let bench = try await ServiceBench.make()
    let (service, address) = try await serveAndClone(bench)
    func run(_ verb: [String], within kilobytes: Int) async throws -> EndedProgram {
      try await StartedProgram(
        URL(filePath: "/bin/sh"),
        ["-c", "ulimit -v \(kilobytes); exec \"$@\"", "sh", BuiltProgram.url("carillon").path]
          + verb,
        in: bench, environment: ["CARILLON_CREDENTIAL": service.token]
      ).end()
    }
    let sync = ["sync", address, "--store", bench.path("watch")]
    for round in 0..<3 {
      for verb in [sync, ["clone", address, bench.path("new\(round)"), "--replica", "new"]] {
        let answer = try await run(verb, within: 180_000)
        #expect(answer.status == 0, "\(answer)")
      }
    }
    for kilobytes in stride(from: 130_000, to: 150_000, by: 2_000) {
      let answer = try await run(sync, within: kilobytes)
      #expect([0, 74].contains(answer.status), "\(kilobytes) \(answer)")
    }
  }

  @Test("The news of a service are a document, and a stream that reports when its log grows")
  func news() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let answer = try await service.ask("GET", "/v1/sync")
    #expect(answer.status == 200 && answer.body.contains(#""position":1,"#), "\(answer)")
    #expect(answer.body.contains(#""heartbeatSeconds":15"#))
    let stream = try await service.stream("/v1/sync")
    #expect(await stream.next()?.data.contains(#""position":1,"#) == true)
    try await bench.add("Walk")
    #expect(await stream.next()?.data.contains(#""position":1,"#) == false)
  }

  @Test("A watch brings the changes of both sides, and goes on after the service was killed")
  func watch() async throws {
    let bench = try await ServiceBench.make()
    let (service, address) = try await serveAndClone(bench)
    let watch = try await bench.start(
      ["sync", address, "--store", bench.path("watch"), "--watch", "--every", "20s"],
      credential: service.token)
    try await bench.add("Walk")
    try await bench.becomeSame("phone", "watch")
    try await bench.add("Tea", to: "watch")
    try await bench.becomeSame("phone", "watch")
    try await service.stop(SIGKILL)
    try await watch.reports("trying again until it is reachable")
    try await bench.add("Read", to: "watch")
    try await bench.add("Sing")
    let other = try await bench.serve(again: service)
    try await bench.becomeSame("phone", "watch")
    try await watch.reports("reachable again")
    watch.signal(SIGINT)
    let ended = try await watch.end()
    #expect(ended.status == SIGINT, "\(ended)")
    #expect(ended.errors.components(separatedBy: "trying again").count == 2, "\(ended)")
    #expect(ended.errors.components(separatedBy: "reachable again").count == 2, "\(ended)")
    try await other.stop()
  }

  @Test(
    "A proxy that cuts, loses, repeats and delays does no harm", arguments: TestSeed.first(3))
  func faults(seed: UInt64) async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let proxy = try FaultyProxy(to: service.port, 0.4, seed: seed)
    let address = "http://127.0.0.1:\(proxy.port)"
    let clone = try await bench.link(
      "clone", "http://127.0.0.1:\(service.port)", bench.path("watch"), "--replica", "watch",
      credential: service.token)
    try #require(clone.status == 0, "\(clone)")
    let watch = try await bench.start(
      ["sync", address, "--store", bench.path("watch"), "--watch", "--every", "1s"],
      credential: service.token)
    for number in 1...5 {
      try await bench.add("Habit \(number)")
      try await bench.add("Other \(number)", to: "watch")
      let sync = try await bench.link(
        "sync", address, "--store", bench.path("watch"), credential: service.token)
      #expect(sync.status == 0, "\(sync)")
    }
    watch.signal(SIGTERM)
    #expect(try await watch.end().status == SIGTERM)
    let last = try await bench.link(
      "sync", address, "--store", bench.path("watch"), credential: service.token)
    #expect(last.status == 0, "\(last)")
    try await bench.expectSame("phone", "watch")
  }

  @Test("A sync that a service cannot answer prints what is wrong there")
  func broken() async throws {
    let bench = try await ServiceBench.make()
    let (service, address) = try await serveAndClone(bench)
    let script = "cp -a phone restored; mv phone elsewhere; mv restored phone"
    let replaced = try await Shell.run(script, in: bench)
    try #require(replaced.status == 0, "\(replaced)")
    let sync = try await bench.link(
      "sync", address, "--store", bench.path("watch"), credential: service.token)
    #expect(sync.status == 69 && sync.errors.contains("answered 500: "), "\(sync)")
    #expect(sync.errors.contains("was removed or replaced"), "\(sync)")
  }

  @Test("A service of another store, and a store without a credential, are refused")
  func refused() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let address = "http://127.0.0.1:\(service.port)"
    let made = try await bench.link("init", "--store", bench.path("other"), "--replica", "other")
    try #require(made.status == 0)
    let other = try await bench.link(
      "sync", address, "--store", bench.path("other"), credential: service.token)
    #expect(other.status == 65 && other.errors.contains("join-store"), "\(other)")
    let stranger = try await bench.link("sync", address, "--store", bench.path("other"))
    #expect(stranger.status == 77 && stranger.errors.contains("no credential"), "\(stranger)")
    let wrong = try await bench.link(
      "sync", address, "--store", bench.path("other"), "--json", credential: "nonsense")
    #expect(wrong.status == 77 && wrong.errors.contains(#""code":"denied""#), "\(wrong)")
    #expect(!wrong.errors.contains("nonsense"))
    let alone = try await bench.link("sync", "--store", bench.path("other"))
    #expect(alone.status == 64 && alone.errors.contains("joined no service"), "\(alone)")
    let plain = try await bench.link("sync", "http://example.org", credential: "x")
    #expect(plain.status == 64 && plain.errors.contains("on this computer"), "\(plain)")
    let closed = try await bench.link("sync", "http://127.0.0.1:1", credential: "x")
    #expect(closed.status == 69 && closed.errors.contains("Connection refused"), "\(closed)")
  }
}
#endif
