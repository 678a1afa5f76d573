import CarillonModel
import CarillonSync
import CarillonTesting
import CarillonWire
import Testing

/// Versions of the protocol, with stand-ins for one that is to come.
struct SyncVersionTests {
  private func synchronize(
    _ leading: ClosedRange<UInt32>, _ answering: ClosedRange<UInt32>,
    faults: LossyLink.Faults = .none, seed: UInt64 = 1
  ) async throws -> (SyncReport?, versions: [UInt32]) {
    var fixture = SyncFixture(seed: seed)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(20, to: left)
    try fixture.write(20, to: right)
    var options = (SyncOptions(), SyncOptions())
    options.0.versions = leading
    options.1.versions = answering
    var simulation = try SyncSimulation(
      leader: left, answerer: right, wallClock: Instant(milliseconds: fixture.clock), seed: seed,
      faults: faults, options: options)
    let report = try await simulation.run(maxSteps: 2_000)
    #expect(left.isEqual(to: right))
    let versions = try simulation.transcript.filter(\.toAnswerer).map {
      try SyncMessage(bytes: $0.bytes).version
    }
    return (report, versions)
  }

  @Test("A leader that is refused begins again with the greatest version of the other side")
  func older() async throws {
    let (report, versions) = try await synchronize(1...2, 1...1)
    #expect(versions == [2, 1, 1])
    #expect(report?.roundTrips == 3 && report?.messages == 6)
  }

  @Test("A newer answerer speaks the version that it is asked in")
  func newer() async throws {
    let (report, versions) = try await synchronize(1...1, 1...2)
    #expect(versions == [1, 1])
    #expect(report?.messages == 4)
  }

  @Test("Where no version is common, the sync ends with both", arguments: [(1, 2), (2, 1)])
  func none(leading: UInt32, answering: UInt32) async throws {
    var fixture = SyncFixture(seed: 2)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(1, to: left)
    var options = (SyncOptions(), SyncOptions())
    options.0.versions = leading...leading
    options.1.versions = answering...answering
    var simulation = try SyncSimulation(
      leader: left, answerer: right, wallClock: Instant(milliseconds: fixture.clock), seed: 1,
      options: options)
    let error = await #expect(throws: SyncError.self) { _ = try await simulation.run() }
    #expect(error?.code == .unsupportedVersion)
    #expect(error?.message.contains("\(leading)") == true)
    #expect(error?.message.contains("\(answering)") == true)
    #expect(right.eventCount == 0)
  }

  @Test("Late and repeated refusals do no harm", arguments: 1...20)
  func lossy(seed: UInt64) async throws {
    let (report, _) = try await synchronize(1...2, 1...1, faults: .watch, seed: seed)
    #expect(report?.eventsSent == 20 && report?.eventsReceived == 20, "seed \(seed)")
  }
}
