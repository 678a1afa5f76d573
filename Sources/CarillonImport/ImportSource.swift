import Carillon
import CarillonModel

/// Another app's data: its habits first, then its dates in batches, so that memory stays flat.
///
/// The initializer throws if anything is wrong with the file's format, so that nothing is partly
/// imported.
protocol ImportSource {
  /// The source's name, from which entry IDs are derived together with the habit and the date.
  static var name: String { get }
  /// All habits, with their derived IDs.
  var habits: [Habit] { get }
  /// Whether habits count as rows too, because there may be as many of them as dates.
  static var countsHabits: Bool { get }
  /// The number of rows to read.
  var rowCount: Int { get }
  /// The losses counted so far: data with no place in a store.
  var ignored: [ImportReport.Reason: ImportReport.Loss] { get }
  /// All counts so far, with the losses.
  var report: ImportReport { get }
  /// The SHA-256 of the input.
  var digest: [UInt8] { get }
  /// Returns the next batch of about `limit` rows; nil at the end.
  mutating func next(_ limit: Int) throws -> ForeignBatch?
}

extension ImportSource {
  static var countsHabits: Bool { false }

  var report: ImportReport {
    var report = ImportReport()
    report.ignored = ignored
    return report
  }
}
