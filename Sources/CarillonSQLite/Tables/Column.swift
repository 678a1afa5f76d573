/// A column of a table.
struct Column: Sendable {
  let name: String
  let type: ColumnType
  /// Whether the value may be missing.
  private(set) var isOptional = false

  /// The same column, with a value that may be missing.
  var optional: Column {
    var column = self
    column.isOptional = true
    return column
  }

  /// The column's definition in `CREATE TABLE`.
  var definition: String { "\(name) \(type.rawValue)" + (isOptional ? "" : " NOT NULL") }
}

/// The type with which SQLite stores a column.
///
/// Tables are STRICT, so a column contains no other type.
enum ColumnType: String, Sendable {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case any = "ANY"
}

// MARK: - Values of columns

extension Column {
  /// A habit's, schedule's, replica's or other id: 16 bytes.
  static func id(_ name: String) -> Column { Column(name: name, type: .blob) }

  /// An event ID: 32 bytes.
  static func eventID(_ name: String) -> Column { Column(name: name, type: .blob) }

  /// The ID of the event that the row is derived from.
  static let event = eventID("event")

  /// The replica that wrote the event.
  static let replica = id("replica")

  /// A civil date, as days since 1970-01-01.
  static func date(_ name: String) -> Column { Column(name: name, type: .integer) }

  /// An instant, as milliseconds since 1970 UTC.
  static func instant(_ name: String) -> Column { Column(name: name, type: .integer) }

  /// A count, an amount, a minute of the day, or the number of a case.
  static func number(_ name: String) -> Column { Column(name: name, type: .integer) }

  /// 1 for yes, 0 for no.
  static func flag(_ name: String) -> Column { Column(name: name, type: .integer) }

  /// Text, such as a title or the name of a case.
  static func text(_ name: String) -> Column { Column(name: name, type: .text) }

  /// Any number of bytes.
  static func bytes(_ name: String) -> Column { Column(name: name, type: .blob) }

  /// Text, a number or bytes.
  static func any(_ name: String) -> Column { Column(name: name, type: .any) }
}
