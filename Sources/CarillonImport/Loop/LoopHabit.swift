import CarillonSQLite

/// One row of Loop's table `Habits`, as stored.
struct LoopHabit {
  /// The row's number, which repetitions refer to.
  let row: Int64
  /// Loop's permanent ID of the habit; nil in schemas before 24.
  let uuid: String?
  /// The title.
  let title: String
  /// The question of the reminder.
  let question: String?
  /// The person's notes about the habit.
  let notes: String?
  /// Whether amounts are counted.
  let isNumerical: Bool
  /// The unit of the amounts.
  let unit: String?
  /// The target amount, in thousandths.
  let target: Int64?
  /// Whether the target is a maximum.
  let isAtMost: Bool
  /// The number of times in a number of days.
  let frequency: (count: Int64?, days: Int64?)
  /// The position in the list.
  let position: Int64?
  /// Whether the habit is archived.
  let isArchived: Bool
  /// The time and days of the reminder; nil without a reminder.
  let reminder: (hour: Int64, minute: Int64, days: Int64)?
  /// Whether a color was chosen.
  let hasColor: Bool

  /// The columns that every table `Habits` of Loop has.
  static let needed: Set<String> = ["id", "name", "freq_num", "freq_den", "archived"]
}

extension LoopDatabase {
  /// Returns all habits in the order of rows.
  ///
  /// - Throws: `invalidValue` if a text is not UTF-8, naming the row.
  /// - Complexity: O(habits).
  func habits() throws -> [LoopHabit] {
    try reading {
      let rows = try connection.prepare(try habitQuery())
      var habits: [LoopHabit] = []
      while try rows.step() { habits.append(try habit(rows)) }
      return habits
    }
  }

  /// Returns a query for the columns in a fixed order.
  ///
  /// A column that the schema lacks has its default.
  private func habitQuery() throws -> String {
    let present = try Self.columns(of: "Habits", connection)
    func text(_ name: String) -> String {
      present.contains(name) ? "CAST(\(name) AS TEXT)" : "NULL"
    }
    func integer(_ name: String, else other: Int64? = nil) -> String {
      present.contains(name) ? Self.integer(name, else: other) : "NULL"
    }
    // Before the column `question` existed, the description was the question. Loop's own migration
    // moved it too.
    let hasQuestion = present.contains("question")
    let columns = [
      "id", text("uuid"), text("name"),
      hasQuestion ? text("question") : text("description"),
      hasQuestion ? text("description") : "NULL",
      integer("type"), text("unit"),
      present.contains("target_value") ? "CAST(round(target_value * 1000) AS INTEGER)" : "NULL",
      integer("target_type"), integer("freq_num", else: -1), integer("freq_den", else: -1),
      integer("position"), integer("archived"), integer("reminder_hour", else: -1),
      integer("reminder_min", else: -1), integer("reminder_days", else: 0), integer("color"),
    ]
    return "SELECT \(columns.joined(separator: ", ")) FROM Habits ORDER BY id"
  }

  private func habit(_ rows: Statement) throws -> LoopHabit {
    func integer(_ index: Int) -> Int64? { rows.isNull(index) ? nil : rows.integer(index) }
    guard case .integer(let row) = rows.column(0) else {
      throw Self.refusal("\(name): an id in Habits is not an integer")
    }
    func text(_ index: Int, _ column: String) throws -> String? {
      try utf8(rows, index, of: "Habits row \(row): \(column)")
    }
    return LoopHabit(
      row: row, uuid: try text(1, "uuid"), title: try text(2, "name") ?? "",
      question: try text(3, "question"), notes: try text(4, "description"),
      isNumerical: rows.integer(5) == 1, unit: try text(6, "unit"), target: integer(7),
      isAtMost: rows.integer(8) == 1, frequency: (integer(9), integer(10)),
      position: integer(11), isArchived: rows.integer(12) != 0,
      reminder: integer(13).map { ($0, integer(14) ?? -1, integer(15) ?? 127) },
      hasColor: !rows.isNull(16))
  }

  /// Returns an expression for a column's integer, or NULL for another type, because Loop's tables
  /// accept values of any type.
  ///
  /// - Parameter other: The result for a value of another type. It is outside the limits, so the
  ///   caller counts the value as left out.
  static func integer(_ column: String, else other: Int64? = nil) -> String {
    let otherwise = other.map { " WHEN 'null' THEN NULL ELSE \($0)" } ?? ""
    return "CASE typeof(\(column)) WHEN 'integer' THEN \(column)\(otherwise) END"
  }

  /// Returns a text that must be UTF-8; nil for NULL and for an empty text.
  func utf8(
    _ rows: Statement, _ index: Int, of place: @autoclosure () -> String
  ) throws -> String? {
    guard case .text(let bytes) = rows.column(index), !bytes.isEmpty else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Self.refusal("\(name): \(place()) is not UTF-8")
    }
    return text
  }
}
