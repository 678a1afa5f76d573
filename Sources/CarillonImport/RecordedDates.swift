import CarillonModel

/// The dates for which an import has read records, used to recognize repeated rows.
///
/// Memory depends on the number of habits and their range of dates, with a bit for each date, and
/// not on the number of rows.
struct RecordedDates {
  private var entered: [HabitID: DateBits] = [:]
  private var marked: [HabitID: DateBits] = [:]
  private var noted: [HabitID: DateBits] = [:]

  /// Removes records of dates that an earlier row already covers.
  ///
  /// - Returns: The number of records removed.
  mutating func removeRepeated(from days: inout [ForeignDay]) -> Int {
    let before = days.count
    days.removeAll { day in
      switch day.fact {
      case .done: !entered[day.habit, default: DateBits()].insert(day.date)
      case .marked: !marked[day.habit, default: DateBits()].insert(day.date)
      case .noted: !noted[day.habit, default: DateBits()].insert(day.date)
      }
    }
    return before - days.count
  }
}

/// A set of accepted dates: at most 84,370 bits.
private struct DateBits {
  private var words: [UInt64] = []

  /// Adds a date.
  ///
  /// Returns false if it was already in the set.
  mutating func insert(_ date: CivilDate) -> Bool {
    let index = CivilDate.accepted.lowerBound.days(to: date)
    let (word, bit) = (index / 64, UInt64(1) << (index % 64))
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    defer { words[word] |= bit }
    return words[word] & bit == 0
  }
}
