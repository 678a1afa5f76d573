/// One row of Loop's table `Habits`, as it lies there.
package struct LoopHabit {
  /// The row's number, by which repetitions name the habit.
  package let row: Int64
  /// Loop's name of the habit for good; nil in schemas before 24.
  package let uuid: String?
  /// The title.
  package let title: String
  /// What a reminder asks.
  package let question: String?
  /// What the person wrote about it.
  package let notes: String?
  /// True counts amounts.
  package let isNumerical: Bool
  /// What is counted.
  package let unit: String?
  /// How much is wanted, in thousandths.
  package let target: Int64?
  /// True wants at most the target.
  package let isAtMost: Bool
  /// How many times in how many days.
  package let frequency: (count: Int64?, days: Int64?)
  /// Where it stands in the list.
  package let position: Int64?
  /// Hidden.
  package let isArchived: Bool
  /// When it reminds; nil without a reminder.
  package let reminder: (hour: Int64, minute: Int64, days: Int64)?
  /// Whether a color was chosen.
  package let hasColor: Bool
  /// Its earliest repetition, in milliseconds since 1970.
  package let firstRepetition: Int64?

  /// Columns without which a table is not Loop's.
  static let needed: Set<String> = ["id", "name", "freq_num", "freq_den", "archived"]
}

extension LoopDatabase {
  /// All habits, by row.
  ///
  /// - Throws: `invalidValue` naming the row whose text is not UTF-8.
  /// - Complexity: O(habits + repetitions), once.
  package func habits() throws -> [LoopHabit] {
    try reading {
      let first = try firstRepetitions()
      let rows = try connection.prepare(try habitQuery())
      var habits: [LoopHabit] = []
      while try rows.step() { habits.append(try habit(rows, first)) }
      return habits
    }
  }

  /// The columns in a fixed order; one that the schema lacks is its default.
  private func habitQuery() throws -> String {
    let present = try Self.columns(of: "Habits", connection)
    func text(_ name: String) -> String {
      present.contains(name) ? "CAST(\(name) AS TEXT)" : "NULL"
    }
    func integer(_ name: String, else other: Int64? = nil) -> String {
      present.contains(name) ? Self.integer(name, else: other) : "NULL"
    }
    // Before `question`, the description was what a reminder asked; Loop moved it so itself.
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

  private func habit(_ rows: Statement, _ first: [Int64: Int64]) throws -> LoopHabit {
    func integer(_ index: Int) -> Int64? { rows.isNull(index) ? nil : rows.integer(index) }
    guard case .integer(let row) = rows.column(0) else {
      throw Self.refusal("\(name): an id in Habits is no whole number")
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
      hasColor: !rows.isNull(16), firstRepetition: first[row])
  }

  /// One walk through the table: a sort or a search for each habit would cost more.
  private func firstRepetitions() throws -> [Int64: Int64] {
    let habits = try connection.prepare("SELECT id FROM Habits")
    var first: [Int64: Int64?] = [:]
    while try habits.step() { first[habits.integer(0)] = .some(nil) }
    let rows = try connection.prepare(
      "SELECT \(Self.integer("habit")), \(Self.integer("timestamp")) FROM Repetitions")
    while try rows.step() {
      if rows.isNull(0) || rows.isNull(1) { continue }
      guard let known = first[rows.integer(0)] else { continue }
      first[rows.integer(0)] = min(known ?? .max, rows.integer(1))
    }
    return first.compactMapValues(\.self)
  }

  /// A column where it holds a whole number, else NULL: Loop's tables take values of any type.
  ///
  /// - Parameter other: What stands for a value of another type; it is outside of the limits, so
  ///   whoever reads it counts what it leaves out.
  static func integer(_ column: String, else other: Int64? = nil) -> String {
    let otherwise = other.map { " WHEN 'null' THEN NULL ELSE \($0)" } ?? ""
    return "CASE typeof(\(column)) WHEN 'integer' THEN \(column)\(otherwise) END"
  }

  /// A text that is UTF-8; nil for NULL and for an empty one.
  func utf8(_ rows: Statement, _ index: Int, of place: String) throws -> String? {
    guard case .text(let bytes) = rows.column(index), !bytes.isEmpty else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Self.refusal("\(name): \(place) is not UTF-8")
    }
    return text
  }
}
