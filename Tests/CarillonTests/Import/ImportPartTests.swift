import CarillonModel
import Foundation
import Testing

@testable import CarillonImport

/// The order in which an import writes records.
struct ImportPartTests {
  @Test("An import writes the records of all rows once, habit by habit, and counts each row once")
  func order() async throws {
    try await withStoreAndFiles { _, files in
      let file = try await SampleBackup.make(habits: 7, repetitions: 9_000, in: files)
      var (plain, records) = (try LoopBackup(file), [String: [String]]())
      while let batch = try plain.next(1_000) {
        for day in batch.days { records["\(day.habit)", default: []].append("\(day)") }
      }
      var (source, known) = (try LoopBackup(file), RecordedDates())
      let part = try #require(try ImportPart(reading: &source, after: &known))
      #expect(part.rowCount == 9_000 && part.repeatedCount == 0)
      let expected = plain.habits.map(\.id).sorted().flatMap { records["\($0)"] ?? [] }
      #expect(part.batches.flatMap(\.days).map { "\($0)" } == expected)
      let rows = part.batches.map(\.rows)
      #expect(rows.count > 1 && rows == rows.sorted() && rows.last == 9_000)
      #expect(try ImportPart(reading: &source, after: &known) == nil)
    }
  }
}
