public import Carillon
import CarillonModel
import CarillonSQLite
import CarillonThreads
public import Foundation

/// The progress of an import.
public struct ImportProgress: Hashable, Sendable {
  /// The number of rows read.
  public let done: Int
  /// The number of rows to read.
  public let total: Int
}

extension Store {
  /// Imports the habits of another app, with their records.
  ///
  /// The whole file is checked first. Its data is then added in batches, each in one transaction.
  /// IDs are derived from the content of the file, so an interrupted import can be continued by
  /// importing the file again, and importing a file twice adds nothing. A habit that ever existed
  /// is left unchanged, and an entry or mark that ever existed is not added again, even if it was
  /// removed. Only an event that its calendar has since changed is updated. Events that the store
  /// itself exported are left unchanged. Cancelling the task leaves only complete batches.
  ///
  /// - Parameters:
  ///   - file: The file; for `loopCSV` also the folder. It is not modified.
  ///   - format: The format of the data.
  ///   - progress: Called after each batch.
  /// - Returns: What was added, what already existed, and what was left out.
  /// - Throws: `notFound`, `invalidValue` naming the file and the line or row, `unsupportedFormat`,
  ///   `io`: nothing is written in these cases. `cancelled` and errors while writing occur after a
  ///   number of complete batches.
  /// - Complexity: O(rows); memory is flat for `loop`, O(file) for the others.
  public func importHabits(
    from file: URL, format: ImportFormat,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(StoreError) -> ImportReport {
    try await StoreError.translating {
      try await withTaskExecutorPreference(BlockingExecutor.shared) {
        switch format {
        case .loop: try await self.add(try LoopBackup(file), progress)
        case .loopCSV: try await self.add(try LoopCSV(file), progress)
        case .habitBull: try await self.add(try HabitBullCSV(file), progress)
        case .ics: try await self.add(try ICalendar(file, in: await self.storedHabits()), progress)
        }
      }
    }
  }

  private func storedHabits() async throws -> StoredHabits {
    StoredHabits(try await habits(includingArchived: true, includingDeleted: true))
  }

  private func add<Source: ImportSource>(
    _ source: Source, _ progress: @Sendable (ImportProgress) -> Void
  ) async throws -> ImportReport {
    var source = source
    var report = ImportReport()
    var done = 0
    // A habit needs up to three events, an event of a calendar more.
    for habits in source.habits.chunks(of: HabitImport.batchCount / 4) {
      try Task.checkCancellation()
      report.add(try await write(habits: habits, of: source.digest))
      guard Source.countsHabits else { continue }
      done += habits.count
      progress(ImportProgress(done: done, total: source.rowCount))
    }
    var said = RecordedDates()
    var writer = try await ForeignDayWriter(self, from: Source.name, source.habits.map(\.id))
    do {
      while let part = try ImportPart(reading: &source, after: &said) {
        report.repeated += part.repeatedCount
        for (rows, days) in part.batches {
          try Task.checkCancellation()
          report.add(try await writer.write(days))
          progress(ImportProgress(done: done + rows, total: source.rowCount))
        }
        done += part.rowCount
      }
    } catch {
      await writer.stop()
      throw error
    }
    report.add(try await writer.finish())
    report.add(source.report)
    try await finish(source, report)
    return report
  }

  private func write(habits: [Habit], of fileHash: [UInt8]) async throws -> ImportReport {
    try await writeBatch { reader in
      let batch = try HabitImport.decide(
        habits, isKnown: reader.wasImported(fileHash: fileHash), reader)
      return (batch.payloads, batch.report)
    }.result
  }

  /// Records that the file was completely imported, once per file.
  private func finish<Source: ImportSource>(_ source: Source, _ report: ImportReport) async throws {
    let finished = ImportFinished(
      source: Source.name, fileHash: source.digest, counts: report.counts)
    try await writeBatch { reader in
      (try reader.wasImported(fileHash: finished.fileHash) ? [] : [.importFinished(finished)], ())
    }
  }
}

extension Array {
  /// Splits the elements into arrays of at most `count`, in order.
  fileprivate func chunks(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
