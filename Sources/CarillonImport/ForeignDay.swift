import Carillon
import CarillonModel

/// One record of another app about one date of one habit.
struct ForeignDay: Sendable {
  enum Fact: Sendable {
    /// The habit was done; the value is in thousandths.
    case done(Int64, note: String?)
    /// The date was skipped or not done.
    case marked(DayMark)
    /// A note without an entry.
    case noted(String)
  }

  let habit: HabitID
  let date: CivilDate
  let fact: Fact
}

/// A batch of a source: the number of rows read and their records.
struct ForeignBatch {
  var rows = 0
  var days: [ForeignDay] = []
}

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
  /// The SHA-256 of the input.
  var digest: [UInt8] { get }
  /// Returns the next batch of about `limit` rows; nil at the end.
  mutating func next(_ limit: Int) throws -> ForeignBatch?
}

extension ImportSource {
  static var countsHabits: Bool { false }
}

/// A value that Loop stores for a date.
enum LoopValue: Equatable {
  /// Done, or an amount, in thousandths.
  case done(Int64)
  case marked(DayMark)
  /// Done because of the habit's frequency; Loop derives it from the dates around.
  case derived
  /// Nothing is recorded for the date.
  case unknown
  /// Not a value that Loop writes.
  case invalid

  init(_ value: Int64?, isNumerical: Bool) {
    self =
      switch (value, isNumerical) {
      case (-1, _): .unknown
      case (3, _): .marked(.skip)
      case (let amount?, true) where (0...1_000_000_000_000).contains(amount): .done(amount)
      case (2, false): .done(1000)
      case (1, false): .derived
      case (0, false): .marked(.no)
      default: .invalid
      }
  }
}

extension ForeignBatch {
  /// Adds Loop's record of a date, or counts why it is left out.
  mutating func add(
    _ value: LoopValue, note: String?, habit: HabitID, date: CivilDate, at place: String,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) {
    guard CivilDate.accepted.contains(date) else { return ignored.add(.dates, at: place) }
    let cut = note.map { $0.cut(toBytes: NoteRecorded.maxTextBytes) }
    if cut != note { ignored.add(.shortened, at: place) }
    switch value {
    case .done(let amount):
      days.append(ForeignDay(habit: habit, date: date, fact: .done(amount, note: cut)))
      return
    case .marked(let mark): days.append(ForeignDay(habit: habit, date: date, fact: .marked(mark)))
    case .derived: ignored.add(.derived, at: place)
    case .invalid: ignored.add(.values, at: place)
    case .unknown: break
    }
    if let cut, !cut.isEmpty {
      days.append(ForeignDay(habit: habit, date: date, fact: .noted(cut)))
    }
  }
}
