import Carillon
import CarillonTesting
import Testing

/// Simulated worlds of replicas; `tools/simulate` plays many more.
struct SimulationTests {
  @Test(
    "Whatever happens to replicas and transports, all agree once the transports work again",
    arguments: 1...60)
  func world(seed: UInt64) async throws {
    var world = SimulatedWorld(seed: seed)
    try await world.run()
  }

  @Test("So do logs in files on SQLite", arguments: [3, 11, 19, 27, 35, 43, 51, 59] as [UInt64])
  func sqlite(seed: UInt64) async throws {
    var world = SimulatedWorld(seed: seed, storage: .sqlite)
    try await world.run()
  }

  @Test("A seed plays the same messages again", arguments: [7, 21, 35] as [UInt64])
  func replay(seed: UInt64) async throws {
    var first = SimulatedWorld(seed: seed)
    try await first.run()
    var second = SimulatedWorld(seed: seed)
    try await second.run()
    #expect(first.transcript == second.transcript)
  }
}
