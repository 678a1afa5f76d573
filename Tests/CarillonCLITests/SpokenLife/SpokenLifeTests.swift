import CarillonTestSupport
import Foundation
import Testing

/// What the verbs say of the future, compared with what happens.
@Suite struct SpokenLifeTests {
  @Test("In a week of a person who makes mistakes, each sentence about the future is true")
  func sentences() async throws {
    var total = SpokenLife.Tally()
    await withTaskGroup(of: (seed: UInt64, tally: SpokenLife.Tally).self) { group in
      for (index, seed) in TestSeed.first(2).enumerated() {
        // One life keeps one core busy, since it waits for each process.
        if index >= ProcessInfo.processInfo.activeProcessorCount, let ended = await group.next() {
          total.add(ended.tally, ofSeed: ended.seed)
        }
        group.addTask { (seed, await SpokenLife.live(seed: seed, acts: 30)) }
      }
      for await (seed, tally) in group { total.add(tally, ofSeed: seed) }
    }
    if TestSeed.isCampaign { print(total) }
    #expect(total.sentences > 0)
  }
}

extension SpokenLife.Tally {
  /// Adds a life that ended, and reports its first falsehoods.
  fileprivate mutating func add(_ life: Self, ofSeed seed: UInt64) {
    for falsehood in life.falsehoods.prefix(3) { Issue.record("seed \(seed): \(falsehood)") }
    self += life
  }
}
