import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// A store whose log contains a wrong head of a branch, used by everything that reads heads.
@Suite struct DamagedHeadTests {
  /// ReplicaID 16, parent 12, head sequence 8, head ID 32, checksum 8.
  private static let sampledBytes = Array(stride(from: 0, to: 76, by: 8)) + [61, 67, 75]

  @Test(
    "A wrong bit in a branch's row hides no event, or every verb reports the damage",
    arguments: sampledBytes)
  func flipped(_ byte: Int) async throws {
    try await withTemporaryDirectory { directory in
      var generator = SeededGenerator(seed: UInt64(byte))
      let bit = UInt8.random(in: 0..<8, using: &generator)
      let phone = directory.appending(path: "phone")
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let watch = try await makePair(at: phone, directory.appending(path: "watch"), clock)
      try flipRow(byte, bit, of: phone, watch.owner)
      do {
        try await useAll(phone, watch.store, directory.appending(path: "third"), clock)
      } catch let error as StoreError where error.code == .corrupt {
        // The replica and the parent are stored only once, so damage to them cannot be repaired.
        #expect(byte < 28, "byte \(byte), bit \(bit): \(error)")
        await #expect {
          await (try Store.open(at: phone, options: .test(clock))).close()
        } throws: {
          ($0 as? StoreError)?.code == .corrupt
        }
      }
      #expect(try await watch.store.verify() == [], "byte \(byte), bit \(bit)")
      await watch.store.close()
    }
  }

  // MARK: -

  /// Returns the closed store of a phone that has written since its last sync, and its watch.
  private func makePair(
    at phoneURL: URL, _ watchURL: URL, _ clock: ManualClock
  ) async throws -> (store: Store, owner: ReplicaID) {
    let phone = try await Store.create(at: phoneURL, replica: "phone", options: .test(clock))
    let habit = try await phone.add(Habit("Walk"))
    let watch = try await Store.clone(
      phone, at: watchURL, replica: "watch", role: .watch, options: .test(clock)
    ).store
    try await phone.markDone(habit.id)
    let owner = try await phone.status().replica
    await phone.close()
    return (watch, owner)
  }

  /// Reads, syncs, clones, writes and verifies.
  private func useAll(
    _ url: URL, _ watch: Store, _ thirdURL: URL, _ clock: ManualClock
  ) async throws {
    let phone = try await Store.open(at: url, options: .test(clock))
    do {
      #expect(try await phone.sync(with: watch).forks.isEmpty)
      try await phone.add(Habit("Read"))
      #expect(try await phone.sync(with: watch).forks.isEmpty)
      let third = try await Store.clone(
        phone, at: thirdURL, replica: "third", role: .watch, options: .test(clock)
      ).store
      try await phone.sync(with: watch)
      let digest = try await phone.stateDigest()
      for other in [watch, third] {
        #expect(try await other.stateDigest() == digest)
        #expect(try await other.habits().map(\.title).sorted() == ["Read", "Walk"])
      }
      #expect(try await phone.verify() == [])
      await third.close()
    } catch {
      await phone.close()
      throw error
    }
    await phone.close()
  }

  /// Flips a bit of the current row, which has the greatest head, in all its copies.
  private func flipRow(_ byte: Int, _ bit: UInt8, of store: URL, _ owner: ReplicaID) throws {
    let file = store.appending(path: "log/data.mdb")
    var data = try Data(contentsOf: file)
    let row = Data(owner.bytes + [UInt8](repeating: 0, count: 12))
    var rows: [(head: Data, offset: Int)] = []
    var start = data.startIndex
    while let range = data.range(of: row, in: start..<data.endIndex) {
      rows.append((data[range.upperBound..<range.upperBound + 8], range.lowerBound))
      start = range.upperBound
    }
    let newest = try #require(rows.map(\.head).max { $0.lexicographicallyPrecedes($1) })
    for row in rows where row.head == newest { data[row.offset + byte] ^= 1 << bit }
    // In place, since an atomic write would create a different file.
    try data.write(to: file)
  }
}
