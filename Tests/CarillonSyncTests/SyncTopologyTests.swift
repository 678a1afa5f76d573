import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Testing

/// Replicas that write, sync in any pairs, are copied and are restored from backups, in any order.
struct SyncTopologyTests {
  @Test(
    "Every sync ends and all replicas become equal, in any order of operations",
    arguments: TestSeed.first(12))
  func random(seed: UInt64) async throws {
    var world = World(seed: seed)
    for _ in 0..<30 { try await world.step() }
    try await world.converge()
    for log in world.logs.dropFirst() {
      #expect(log.isEqual(to: world.logs[0]), "seed \(seed)")
    }
  }

  struct World {
    var fixture: SyncFixture
    var logs: [InMemoryEventLog]
    var saved: [InMemoryEventLog.Contents]
    let seed: UInt64

    init(seed: UInt64) {
      self.seed = seed
      fixture = SyncFixture(seed: seed)
      logs = []
      for _ in 0..<(2 + Int(seed % 3)) { logs.append(fixture.log()) }
      saved = logs.map(\.saved)
    }

    private mutating func number(_ bound: Int) -> Int {
      Int.random(in: 0..<bound, using: &fixture.generator)
    }

    mutating func step() async throws {
      let place = number(logs.count)
      switch number(20) {
      case 0..<8: try fixture.write(number(60), to: logs[place])
      case 8: saved[place] = logs[place].saved
      case 9: logs[place].restore(saved[place])
      case 10 where logs.count < 4:
        logs.append(fixture.copy(logs[place]))
        saved.append(logs[place].saved)
      default:
        let other = (place + 1 + number(logs.count - 1)) % logs.count
        try await synchronize(place, other)
      }
    }

    private mutating func synchronize(_ left: Int, _ right: Int) async throws {
      let faults: LossyTransport.Faults = number(2) == 0 ? .none : .watch
      var simulation = try fixture.simulation(logs[left], logs[right], faults: faults)
      if number(4) == 0 {
        _ = try await simulation.run(cutAfter: number(6), maxSteps: 500)
      } else {
        _ = try #require(try await simulation.run(maxSteps: 500), "seed \(seed)")
      }
    }

    /// Syncs the first log with every other, four times: new ReplicaIDs taken on the way add
    /// events.
    mutating func converge() async throws {
      for _ in 0..<4 {
        for right in 1..<logs.count {
          _ = try #require(try await fixture.synchronize(logs[0], logs[right]), "seed \(seed)")
          #expect(logs[0].isEqual(to: logs[right]), "seed \(seed)")
        }
      }
    }
  }
}
