/// One line of a CSV, after RFC 4180.
struct CSVLine {
  private var cells: [String] = []

  /// A line of titles.
  init(titles: [String]) {
    cells = titles
  }

  init() {}

  /// Adds a value of our own making, such as a number, a date or an id.
  mutating func add(_ value: String) {
    cells.append(value)
  }

  /// Adds what a person or another app wrote.
  ///
  /// A spreadsheet computes a cell that begins with one of these signs, whoever wrote it; behind an
  /// apostrophe it is text.
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
