import CarillonModel
import CarillonSQLite
public import Foundation

/// Whose data an import reads.
public enum ImportFormat: String, Hashable, Sendable, CaseIterable {
  /// The backup database of Loop Habit Tracker, of any version that Loop shipped.
  case loop
  /// The folder of Loop's CSV export, or one of `Habits.csv` and `Checkmarks.csv` in it.
  case loopCSV = "loop-csv"
  /// HabitBull's CSV.
  case habitBull = "habitbull"
  /// An iCalendar file, as Apple's and Google's calendars export it.
  case ics
}

/// How far an import is.
public struct ImportProgress: Hashable, Sendable {
  /// Rows read.
  public let done: Int
  /// Rows to read.
  public let total: Int
}

extension Store {
  /// Adds the habits of another app, with what was said of their dates.
  ///
  /// The file is checked whole, then added in batches, each all or nothing. Ids are derived from
  /// what the file says, so an import that was cut off goes on where it was, and importing a file
  /// twice adds nothing: a habit that was ever there is left as the person has it now, and an entry
  /// or mark that was ever there is not added again, also where it was taken back. Only an event
  /// that its calendar has changed since is changed here too. Cancelling the task leaves a whole
  /// number of batches.
  ///
  /// - Parameters:
  ///   - file: The file; for `loopCSV` also the folder. It is only read.
  ///   - format: Whose data it is.
  ///   - progress: Called after each batch.
  /// - Returns: What was added, was there before, and had no place.
  /// - Throws: `notFound`, `invalidValue` naming file and line or row, `unsupportedFormat`, `io`;
  ///   nothing is written then. `cancelled`, and what writing throws, after a whole number of
  ///   batches.
  /// - Complexity: O(rows); memory is flat for `loop`, O(file) for the others.
  public func importHabits(
    from file: URL, format: ImportFormat,
    _ progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws -> ImportReport {
    try await translatingErrors {
      switch format {
      case .loop: try await self.add(try LoopBackup(file), progress)
      case .loopCSV: try await self.add(try LoopCSV(file), progress)
      case .habitBull: try await self.add(try HabitBullCSV(file), progress)
      case .ics: try await self.add(try ICalendar(file), progress)
      }
    }
  }

  private func add<Source: ImportSource>(
    _ source: Source, _ progress: @Sendable (ImportProgress) -> Void
  ) async throws -> ImportReport {
    var source = source
    var report = ImportReport()
    var done = 0
    // A habit is up to three events, of a calendar more.
    for habits in source.habits.chunks(of: HabitImport.batchCount / 4) {
      try Task.checkCancellation()
      report.add(try await write(habits: habits))
      guard Source.countsHabits else { continue }
      done += habits.count
      progress(ImportProgress(done: done, total: source.rowCount))
    }
    var said = SaidDates()
    while var batch = try source.next(HabitImport.batchCount) {
      try Task.checkCancellation()
      report.repeated += said.removeRepeated(from: &batch.days)
      report.add(try await write(days: batch.days, from: Source.name))
      done += batch.rows
      progress(ImportProgress(done: done, total: source.rowCount))
    }
    report.ignored = source.ignored
    try await finish(source, report)
    return report
  }

  private func write(habits: [Habit]) async throws -> ImportReport {
    try await write { try HabitImport.decide(habits, $0.reader) }
  }

  private func write(days: [ForeignDay], from source: String) async throws -> ImportReport {
    try await write { try HabitImport.decide(days, from: source, $0.reader) }
  }

  /// Records that the file was imported to its end, once for all.
  private func finish<Source: ImportSource>(_ source: Source, _ report: ImportReport) async throws {
    let finished = ImportFinished(
      source: Source.name, fileHash: source.digest, counts: report.counts)
    _ = try await write(isActivity: false) { context in
      let isKnown = try context.reader.wasImported(fileHash: finished.fileHash)
      return Decision(payloads: isKnown ? [] : [.importFinished(finished)], needsState: true)
    }
  }

  /// Writes what was decided on the newest state, and tells what it was.
  ///
  /// Importing is no activity of the person.
  private func write(
    _ decide: @escaping @Sendable (Context) throws -> HabitImport
  ) async throws -> ImportReport {
    let decided = Locked(ImportReport())
    _ = try await write(isActivity: false) { context in
      let batch = try decide(context)
      decided.set(batch.report)
      return Decision(payloads: batch.payloads, needsState: true)
    }
    return decided.value
  }
}

extension Array {
  /// The elements in order, in arrays of at most so many.
  fileprivate func chunks(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
