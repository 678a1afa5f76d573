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
