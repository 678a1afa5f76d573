import Carillon
import CarillonModel

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
      case (let amount?, true) where (0...Amount.maxThousandths).contains(amount): .done(amount)
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
    _ value: LoopValue, note: String?, habit: HabitID, date: CivilDate,
    at place: @autoclosure () -> String,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) {
    guard CivilDate.accepted.contains(date) else { return ignored.add(.dates, at: place()) }
    let cut = note.map { $0.cut(toBytes: Int(Limit.maxLongBytes)) }
    if cut != note { ignored.add(.shortened, at: place()) }
    switch value {
    case .done(let amount):
      days.append(ForeignDay(habit: habit, date: date, fact: .done(amount, note: cut)))
      return
    case .marked(let mark): days.append(ForeignDay(habit: habit, date: date, fact: .marked(mark)))
    case .derived: ignored.add(.derived, at: place())
    case .invalid: ignored.add(.values, at: place())
    case .unknown: break
    }
    if let cut, !cut.isEmpty {
      days.append(ForeignDay(habit: habit, date: date, fact: .noted(cut)))
    }
  }
}
