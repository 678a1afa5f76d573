/// One line of a CSV file, in RFC 4180.
struct CSVLine {
  private var cells: [String] = []

  /// Creates a header line.
  init(titles: [String]) {
    cells = titles
  }

  init() {}

  /// Adds a value that Carillon produced, such as a number, a date or an ID.
  mutating func add(_ value: String) {
    cells.append(value)
  }

  /// Adds a text that a person or another app wrote.
  ///
  /// A spreadsheet runs a cell that begins with one of these characters as a formula. A leading
  /// apostrophe makes it text.
  mutating func add(text: String?) {
    let text = (text ?? "").escapingObeyed
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r\n".unicodeScalars.contains($0) }
    cells.append(isFormula == true ? "'" + text : text)
  }

  /// The line with its line break.
  var rendered: String { cells.map(Self.quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
      return cell
    }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }
}
