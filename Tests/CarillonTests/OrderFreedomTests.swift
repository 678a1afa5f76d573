import Carillon
import CarillonLMDB
import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Foundation
import Testing

/// The same events give the same state and digest, regardless of the order in which they arrive.
///
/// Each seed creates a history of two to four replicas with clones, rollbacks, erasures and unknown
/// kinds. Two stores receive it in different orders, in batches of different sizes, with repeats,
/// and are queried in between, so that catch-up stops at different places. Erased events arrive
/// with or without their payload, before or after the erasure, and are swept at random moments.
/// `tools/live --only orders` tries more seeds.
@Suite struct OrderFreedomTests {
  @Test(
    "Any order of arrival gives one digest, which equals that of a rebuild and of a plain fold",
    arguments: TestSeed.first(16))
  func anyOrder(seed: UInt64) async throws {
    let history = try ForkingHistory(seed: seed, steps: 90)
    var random = SeededGenerator(seed: seed ^ 0x5EED)
    var fold = ReferenceFold()
    for linked in history.events { fold.apply(linked.event) }
    let folded = fold.state()
    var digests: Set<StateDigest> = []
    for _ in 0..<2 {
      let store = try await Self.silentStore()
      try await Self.deliver(history, to: store, using: &random)
      let digest = try await store.stateDigest()
      digests.insert(digest)
      #expect(try await store.status().unconfirmedEventCount == 0, "seed \(seed)")
      try await Self.requireSwept(store, history, seed)
      #expect(try await store.state() == folded, "seed \(seed): not the state of a plain fold")
      let rebuilt = try await store.rebuild()
      #expect(rebuilt.stateDigest == digest, "seed \(seed): a rebuild differs")
      #expect(try await store.verify() == [], "seed \(seed)")
      await store.close()
      try FileManager.default.removeItem(at: store.directory)
    }
    #expect(digests.count == 1, "seed \(seed): two orders, two digests")
  }

  /// Returns a store that has written nothing itself, so that it holds only delivered events.
  private static func silentStore() async throws -> Store {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "carillon-order-\(StoreID.random())", directoryHint: .isDirectory)
    let log = try LMDBEventLog.create(at: directory, storeID: .random(), replica: .random())
    await log.close()
    return try await Store.open(at: directory)
  }

  /// Delivers all events in a random order and random batches, some twice.
  private static func deliver(
    _ history: ForkingHistory, to store: Store, using random: inout SeededGenerator
  ) async throws {
    let order = history.shuffled(using: &random)
    var index = 0
    while index < order.count {
      let count = min(Int.random(in: 1...20, using: &random), order.count - index)
      var batch = Array(order[index..<(index + count)])
      if index > 0, Bool.random(using: &random) {
        batch.insert(order[Int.random(in: 0..<index, using: &random)], at: 0)
      }
      let arriving = batch.map { linked in
        ForkingHistory.Linked(
          event: Bool.random(using: &random)
            ? linked.event : history.erased(linked.event, using: &random),
          previous: linked.previous)
      }
      _ = try await store.log.append(arriving.runs, wallClock: Instant(milliseconds: 0))
      index += count
      if Int.random(in: 0..<6, using: &random) == 0 { _ = try await store.projections.sweep() }
      if Int.random(in: 0..<4, using: &random) == 0 { _ = try await store.state() }
    }
    #expect(try store.lastPosition().rawValue == UInt64(history.events.count))
    _ = try await store.projections.sweep()
  }

  /// Checks that the log contains no payload covered by an erasure.
  private static func requireSwept(
    _ store: Store, _ history: ForkingHistory, _ seed: UInt64
  ) async throws {
    for try await logged in store.history() {
      let isCovered = history.erasures.contains { erasure in
        logged.payload.map { erasure.erasure.covers($0, of: logged.event.id) } ?? false
      }
      #expect(!isCovered, "seed \(seed): \(logged)")
    }
  }
}
