import CarillonModel
import Foundation

/// `Habits.csv` of Loop's CSV export, in any format that Loop has written.
enum LoopHabitsCSV {
  private static let known = [
    "Position", "Type", "Question", "Description", "FrequencyNumerator", "FrequencyDenominator",
    "NumRepetitions", "Interval", "Color", "Unit", "Target Type", "Target Value", "Archived?",
  ]

  /// Returns the habits in the order of the file.
  ///
  /// The export has no habit IDs. A habit is identified by its title and its place among habits
  /// with the same title.
  static func habits(_ bytes: [UInt8], of file: URL) throws -> [ForeignHabit] {
    var table = try CSVTable(bytes, of: file, needed: ["Name"], known: known)
    var ordinals: [String: UInt32] = [:]
    var habits: [ForeignHabit] = []
    while let row = try table.next() {
      let title = row["Name"] ?? ""
      let ordinal = ordinals[title, default: 0]
      ordinals[title] = ordinal + 1
      habits.append(
        try habit(row, .title(title, ordinal: ordinal), hasQuestions: table.has("Question")))
    }
    return habits
  }

  private static func habit(
    _ row: CSVTable.Row, _ key: ImportKey, hasQuestions: Bool
  ) throws -> ForeignHabit {
    var habit = ForeignHabit(key: key, title: row["Name"] ?? "")
    // Before the column `Question` existed, the description held the question of the reminder.
    habit.question = row[hasQuestions ? "Question" : "Description"]
    habit.notes = hasQuestions ? row["Description"] : nil
    habit.isNumerical = try oneOf(["YES_NO", "NUMERICAL"], row, "Type") == "NUMERICAL"
    habit.unit = row["Unit"]
    habit.isAtMost = try oneOf(["AT_LEAST", "AT_MOST"], row, "Target Type") == "AT_MOST"
    if let text = row["Target Value"] {
      guard let target = Int64(thousandthsOf: text) else {
        throw row.problem("Target Value", "is not a number with at most three decimal places")
      }
      habit.target = target
    }
    habit.frequency = (
      try number(row, "FrequencyNumerator") ?? number(row, "NumRepetitions"),
      try number(row, "FrequencyDenominator") ?? number(row, "Interval")
    )
    habit.position = try number(row, "Position")
    habit.isArchived = try oneOf(["false", "true"], row, "Archived?") == "true"
    habit.hasColor = row["Color"] != nil
    return habit
  }

  private static func number(_ row: CSVTable.Row, _ column: String) throws -> Int64? {
    guard let text = row[column] else { return nil }
    guard let number = Int(digits: text) else { throw row.problem(column, "is not a number") }
    return Int64(number)
  }

  private static func oneOf(
    _ names: [String], _ row: CSVTable.Row, _ column: String
  ) throws -> String? {
    guard let text = row[column] else { return nil }
    guard names.contains(text) else {
      throw row.problem(column, "is not \(names.joined(separator: " or "))")
    }
    return text
  }
}
