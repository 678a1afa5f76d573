import Carillon
import CarillonTestSupport
import Foundation
import Testing

/// The content of a damaged projection file is never served as correct.
@Suite struct DamagedTablesTests {
  @Test("A flipped bit in the tables changes no answer", arguments: TestSeed.first(1))
  func flips(seed: UInt64) async throws {
    try await withTemporaryDirectory { directory in
      let tables = try await DamagedTables(at: directory.appending(path: "store"))
      var random = SeededGenerator(seed: seed)
      var outcomes: [DamagedTables.Outcome: Int] = [:]
      for _ in 0..<60 {
        let bit = Int.random(in: 0..<tables.bitCount, using: &random)
        let outcome = try await tables.flip(bit)
        outcomes[outcome, default: 0] += 1
        if case .wrong(let answer) = outcome {
          Issue.record("seed \(seed), bit \(bit): another answer in \(answer)")
        }
      }
      // Most pages are read for at least one answer.
      #expect(outcomes[.repaired, default: 0] > 15, "seed \(seed): \(outcomes)")
    }
  }

  @Test("A damaged page that no answer needs is found by a check, and a rebuild repairs it")
  func foundByCheck() async throws {
    try await withTemporaryDirectory { directory in
      let home = directory.appending(path: "store")
      let store = try await Store.create(at: home, replica: "phone")
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      #expect(try await store.verify() == [])
      await store.close()
      // Only an import reads the table of imported files; its page is among the last third.
      let file = try DamagedTables.file(in: home)
      var found = 0
      let content = try Data(contentsOf: file)
      for page in content.count / 4_096 * 2 / 3..<content.count / 4_096 {
        var damaged = content
        damaged[page * 4_096 + 2_000] ^= 1
        let file = try DamagedTables.file(in: home)
        try DamagedTables.replace(file, with: damaged)
        let store = try await Store.open(at: home)
        let problems = try await store.verify()
        if !problems.isEmpty {
          found += 1
          #expect(try await store.checkProjections()?.table == "file")
          _ = try await store.rebuild()
          #expect(try await store.verify() == [])
        } else {
          // The damage was found by an earlier query, and the projections were rebuilt.
          #expect(try DamagedTables.file(in: home) != file)
        }
        await store.close()
      }
      #expect(found > 0)
    }
  }

  @Test("A check reports a kept plan that differs from a newly computed plan")
  func otherPlan() async throws {
    try await withStore { store, _ in
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      _ = try await store.plan()
      #expect(try await store.checkProjections() == nil)
      let file = try DamagedTables.file(in: store.directory)
      try ProjectionEditor.run("UPDATE pending SET title = 'Run' WHERE place = 0", on: file)
      let difference = try #require(try await store.checkProjections())
      #expect((difference.table, difference.key) == ("pending", "place 0"))
      #expect(try await store.verify().contains { $0.message.contains("table pending") })
      _ = try await store.rebuild()
      #expect(try await store.verify() == [])
    }
  }
}
