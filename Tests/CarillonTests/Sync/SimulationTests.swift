import Carillon
import CarillonTestSupport
import Testing

/// Simulations of replicas; `tools/simulate` runs many more.
struct SimulationTests {
  @Test(
    "After any faults of replicas and transports, all replicas agree once the transports work",
    arguments: 1...20)
  func world(seed: UInt64) async throws {
    var world = SimulatedWorld(seed: seed)
    try await world.run()
  }

  @Test(
    "After any faults, replicas with logs on SQLite agree too",
    arguments: [3, 11, 19] as [UInt64])
  func sqlite(seed: UInt64) async throws {
    var world = SimulatedWorld(seed: seed, storage: .sqlite)
    try await world.run()
  }

  @Test("The same seed produces the same messages", arguments: [7, 11] as [UInt64])
  func replay(seed: UInt64) async throws {
    var first = SimulatedWorld(seed: seed)
    try await first.run()
    var second = SimulatedWorld(seed: seed)
    try await second.run()
    #expect(first.transcript == second.transcript)
  }
}
