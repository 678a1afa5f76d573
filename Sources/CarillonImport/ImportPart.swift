import CarillonModel

/// The records of many consecutive rows of a source, in the order in which writing them costs
/// least.
///
/// A backup often has one row of each habit for each date, while the projections store the rows of
/// a habit together. In the order of the backup, each transaction would change pages of all habits.
struct ImportPart {
  /// The number of rows read.
  private(set) var rowCount = 0
  /// The number of records that repeat an earlier one.
  private(set) var repeatedCount = 0
  /// The records, those of a habit one after the other.
  private let days: [ForeignDay]

  /// The number of rows that are ordered together, which need about 15 MB of memory.
  private static let maxRowCount = 131_072

  /// Reads the next rows of a source; returns nil at the end.
  ///
  /// - Parameter known: The dates of the rows before.
  init?<Source: ImportSource>(
    reading source: inout Source, after known: inout RecordedDates
  ) throws {
    var habits: [HabitID: [ForeignDay]] = [:]
    while rowCount < Self.maxRowCount, var batch = try source.next(HabitImport.batchCount) {
      try Task.checkCancellation()
      repeatedCount += known.removeRepeated(from: &batch.days)
      rowCount += batch.rows
      for day in batch.days { habits[day.habit, default: []].append(day) }
    }
    guard rowCount > 0 else { return nil }
    days = habits.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// The records in batches, each with the number of rows after which it is written.
  var batches: [(rows: Int, days: ArraySlice<ForeignDay>)] {
    stride(from: 0, to: max(days.count, 1), by: HabitImport.batchCount).map { start in
      let end = min(start + HabitImport.batchCount, days.count)
      return (end < days.count ? rowCount * end / days.count : rowCount, days[start..<end])
    }
  }
}
