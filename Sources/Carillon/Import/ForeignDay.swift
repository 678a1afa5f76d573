import CarillonModel

/// What another app says of one date of one habit.
struct ForeignDay: Sendable {
  enum Fact: Sendable {
    /// It was done; the value is in thousandths.
    case done(Int64, note: String?)
    /// It was skipped, or not done.
    case marked(DayMark)
    /// A note without an entry.
    case noted(String)
  }

  let habit: HabitID
  let date: CivilDate
  let fact: Fact
}

/// A part of a source that was read: how much of it, and what it said.
struct ForeignBatch {
  var rows = 0
  var days: [ForeignDay] = []
}

/// Another app's data: its habits first, then their dates in parts, so that memory stays flat.
///
/// Whatever is wrong with its form is thrown before it is there, so that nothing is half written.
protocol ImportSource {
  /// What entry ids are derived from, with the habit and the date.
  static var name: String { get }
  /// All habits, under their derived ids.
  var habits: [Habit] { get }
  /// Whether habits are rows too, since there may be as many of them as dates.
  static var countsHabits: Bool { get }
  /// How many rows there are to read.
  var rowCount: Int { get }
  /// What had no place, of all that was read so far.
  var ignored: [ImportReport.Reason: ImportReport.Loss] { get }
  /// SHA-256 of what was given.
  var digest: [UInt8] { get }
  /// The next part, of about so many rows; nil at the end.
  mutating func next(_ limit: Int) throws -> ForeignBatch?
}

extension ImportSource {
  static var countsHabits: Bool { false }
}

/// What Loop writes of a date.
enum LoopValue: Equatable {
  /// Done, or an amount, in thousandths.
  case done(Int64)
  case marked(DayMark)
  /// Done by the habit's frequency: Loop derives it from the dates around.
  case derived
  /// Nothing is known of the date.
  case unknown
  /// No value of Loop's.
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
  /// Adds what Loop says of a date, or counts why it has no place.
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
