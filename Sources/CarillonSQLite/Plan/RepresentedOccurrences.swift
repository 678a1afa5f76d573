internal import CarillonModel
internal import Foundation

/// The other occurrences that a request represents, stored in one column: a JSON array of arrays
/// of habit, schedule, nominal time and revision.
extension [OccurrenceID] {
  /// Returns the column's value; nil for an empty array.
  func column() throws -> String? {
    guard !isEmpty else { return nil }
    let texts = map {
      [
        $0.habit.description, $0.schedule.description, $0.nominal.description,
        $0.revision.text,
      ]
    }
    return String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
  }
}

extension Statement {
  /// Returns the occurrences in a column.
  func occurrences(_ index: Int) throws -> [OccurrenceID] {
    guard let text = try optionalText(index) else { return [] }
    return try JSONDecoder().decode([[String]].self, from: Data(text.utf8)).map { parts in
      guard parts.count == 4, let habit = HabitID(parts[0]), let schedule = ScheduleID(parts[1]),
        let nominal = CivilDateTime(parts[2])
      else { throw Self.damagedValue }
      return OccurrenceID(
        habit: habit, schedule: schedule, nominal: nominal, revision: .init(parts[3]))
    }
  }
}
