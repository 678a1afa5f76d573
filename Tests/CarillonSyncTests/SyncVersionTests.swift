import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// Versions of the protocol; version 3 stands in for a future one.
struct SyncVersionTests {
  private func synchronize(
    _ leading: ClosedRange<UInt32>, _ answering: ClosedRange<UInt32>,
    faults: LossyTransport.Faults = .none, seed: UInt64 = 1
  ) async throws -> (SyncReport?, versions: [UInt32]) {
    var fixture = SyncFixture(seed: seed)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(20, to: left)
    try fixture.write(20, to: right)
    var options = (SyncOptions(), SyncOptions())
    options.0.versions = leading
    options.1.versions = answering
    var simulation = try SyncSimulation(
      initiator: left, responder: right, wallClock: Instant(milliseconds: fixture.clock),
      seed: seed,
      faults: faults, options: options)
    let report = try await simulation.run(maxSteps: 2_000)
    #expect(left.isEqual(to: right))
    let versions = try simulation.transcript.filter(\.toResponder).map {
      try SyncMessage(bytes: $0.bytes).version
    }
    return (report, versions)
  }

  @Test("An initiator that is refused restarts with the peer's greatest version")
  func older() async throws {
    let (report, versions) = try await synchronize(1...3, 1...2)
    #expect(versions == [3, 2, 2])
    #expect(report?.roundTrips == 3 && report?.messages == 6)
  }

  @Test("A newer responder answers in the version of the question")
  func newer() async throws {
    let (report, versions) = try await synchronize(1...1, 1...3)
    #expect(versions == [1, 1])
    #expect(report?.messages == 4)
  }

  @Test(
    "Without a common version, the sync ends with an error that names both versions",
    arguments: [(1, 2), (2, 1)])
  func none(leading: UInt32, answering: UInt32) async throws {
    var fixture = SyncFixture(seed: 2)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(1, to: left)
    var options = (SyncOptions(), SyncOptions())
    options.0.versions = leading...leading
    options.1.versions = answering...answering
    var simulation = try SyncSimulation(
      initiator: left, responder: right, wallClock: Instant(milliseconds: fixture.clock), seed: 1,
      options: options)
    let error = await #expect(throws: SyncError.self) { _ = try await simulation.run() }
    #expect(error?.code == .unsupportedVersion)
    #expect(error?.message.contains("\(leading)") == true)
    #expect(error?.message.contains("\(answering)") == true)
    #expect(right.eventCount == 0)
  }

  @Test(
    "A hello of a later version is refused by its version, whatever else it contains",
    arguments: [
      [], [0x20, 0xFF, 0xFF, 0xFF, 0x07], [0x32, 2, 7, 7], [0x2A, 3, 0xFF, 0xFF, 0xFF],
      [0x1A, 1, 1], [0x5A, 1, 1, 0x62, 1, 1],
    ] as [[UInt8]])
  func laterForm(rest: [UInt8]) async throws {
    var fixture = SyncFixture(seed: 3)
    let log = fixture.log()
    for (version, code) in [(3, SyncRefusal.Code.version), (1, .malformed)] {
      var hello = SyncMessage()
      hello.version = UInt32(version)
      hello.store = version == 3 ? 7 : SyncFixture.store.high
      let answer = try await ask(hello.encoded() + rest, of: log)
      #expect(answer.refusals.map(\.code) == [code])
    }
  }

  @Test("Another store is refused as such, whatever else the hello contains")
  func otherStore() async throws {
    var fixture = SyncFixture(seed: 4)
    let log = fixture.log()
    var hello = SyncMessage()
    hello.version = 1
    hello.store = 7
    hello.limit = 19_999
    let answer = try await ask(hello.encoded(), of: log)
    #expect(answer.refusals.map(\.code) == [.otherStore])
  }

  @Test(
    "Message 0 without vector and digest is malformed, but a later one is answered",
    arguments: 0...2)
  func nothing(number: UInt32) async throws {
    var fixture = SyncFixture(seed: 5)
    let log = fixture.log()
    var message = SyncMessage()
    message.number = number
    message.version = 1
    message.store = SyncFixture.store.high
    let answer = try await ask(message.encoded(), of: log)
    #expect(answer.number == number)
    #expect(answer.refusals.map(\.code) == (number == 0 ? [.malformed] : []))
  }

  private func ask(_ bytes: [UInt8], of log: InMemoryEventLog) async throws -> SyncMessage {
    let answer = try await SyncSimulation.answer(
      to: bytes, of: log, wallClock: Instant(milliseconds: SyncFixture.start))
    #expect(!answer.isEmpty, "an empty answer would be an empty frame")
    return try SyncMessage(bytes: answer)
  }

  @Test("Late and repeated refusals have no effect", arguments: TestSeed.first(8))
  func lossy(seed: UInt64) async throws {
    let (report, _) = try await synchronize(1...2, 1...1, faults: .watch, seed: seed)
    #expect(report?.eventsSent == 20 && report?.eventsReceived == 20, "seed \(seed)")
  }
}
