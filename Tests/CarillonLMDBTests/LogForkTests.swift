import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

/// The cost of forks, and the limit on heads.
struct LogForkTests {
  private func fork(_ trunk: EventHistory, _ name: String, count: Int = 3) -> EventRun {
    var fork = trunk
    return fork.run(count: count, text: name)
  }

  @Test("A new or held fork needs as many look-ups with 400 heads as with 10")
  func lookUps() async throws {
    var counts: [[Int]] = []
    for heads in [10, 400] {
      let fixture = try LogFixture()
      let log = try fixture.create()
      var trunk = EventHistory(ReplicaID(high: 9, low: 9))
      let common = trunk.run(count: 6)
      let forks = (0..<heads).map { fork(trunk, "fork \($0)") }
      _ = try await log.append([common] + forks, wallClock: .logTests)
      // The first events of branches are read only once.
      _ = try await log.append([fork(trunk, "first")], wallClock: .logTests)
      var own = trunk
      let whole = own.run(count: 4, text: "whole")
      var costs: [Int] = []
      for run in [fork(trunk, "new"), whole, whole, whole.slice(0..<2), forks[7]] {
        let before = log.lookUpCount
        let outcome = try await log.append([run], wallClock: .logTests)
        #expect(outcome != [.headsFull])
        costs.append(log.lookUpCount - before)
      }
      #expect(try log.verify() == [])
      counts.append(costs)
      await log.close()
    }
    #expect(counts[0] == counts[1])
    #expect(counts[1].allSatisfy { $0 < 30 })
  }

  @Test("A run that overlaps held events and then forks opens one branch after the overlap")
  func overlap() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    var trunk = EventHistory(ReplicaID(high: 9, low: 9))
    let common = trunk.run(count: 6)
    var twig = trunk
    _ = try await log.append([common, trunk.run(count: 4)], wallClock: .logTests)
    let rest = twig.run(count: 3, text: "twig")
    let whole = EventRun(
      replica: common.replica, firstSequence: .first, previous: common.previous,
      items: common.items + rest.items, lastID: rest.lastID)
    let outcomes = try await log.append([whole, whole], wallClock: .logTests)
    #expect(
      outcomes == [
        .appended(LogPosition(rawValue: 11)...LogPosition(rawValue: 13), held: 6),
        .duplicate(repaired: 0),
      ])
    #expect(try log.branches().count == 2)
    #expect(try log.branches()[1].firstSequence.rawValue == 7)
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("A log with 1,984 heads opens no branches for others but extends existing ones")
  func full() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    var histories = (0..<VersionVector.maxTakenHeads).map {
      EventHistory(ReplicaID(high: UInt64($0) + 10, low: 1))
    }
    var runs: [EventRun] = []
    for index in histories.indices { runs.append(histories[index].run(count: 1)) }
    _ = try await log.append(runs, wallClock: .logTests)
    var stranger = EventHistory(ReplicaID(high: 1, low: 9))
    var fork = EventHistory(histories[0].replica)
    let outcomes = try await log.append(
      [
        stranger.run(count: 2), fork.run(count: 2, text: "fork"), histories[1].run(count: 1),
        runs[2],
      ],
      wallClock: .logTests)
    #expect(outcomes[0] == .headsFull && outcomes[1] == .headsFull)
    #expect(outcomes[2] != .headsFull && outcomes[3] == .duplicate(repaired: 0))
    // The log's own writes are never refused.
    try await log.record("own")
    #expect(try log.branches().count == VersionVector.maxTakenHeads + 1)
    #expect(try log.verify() == [])
    await log.close()
  }
}
