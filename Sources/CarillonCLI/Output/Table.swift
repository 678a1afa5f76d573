/// Rows in aligned columns, as wide as their contents, or cut to the width of a terminal.
struct Table {
  struct Column {
    enum Alignment {
      case left, right
    }

    let title: String
    var alignment = Alignment.left
    /// Whether the column is cut if the table is wider than the terminal.
    var canShrink = false
    /// Whether the column continues on further lines if the table is wider than the terminal.
    var wraps = false
  }

  struct Cell: ExpressibleByStringInterpolation {
    let text: String
    let style: TextStyle

    init(_ text: String, _ style: TextStyle = .plain) {
      self.text = text.printable
      self.style = style
    }

    init(stringLiteral value: String) {
      self.init(value)
    }
  }

  /// The columns; a header line is printed if any has a title.
  private let columns: [Column]
  private var rows: [[Cell]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Creates a table of names and values, without a header line.
  init(facts: [(String, String)]) {
    columns = [Column(title: ""), Column(title: "", wraps: true)]
    rows = facts.map { [Cell($0.0, .dim), Cell($0.1)] }
  }

  /// Adds a row with one cell for each column.
  mutating func add(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "a row has one cell for each column")
    rows.append(cells)
  }

  /// Returns the lines, each with a line break.
  func rendered(on terminal: Terminal) -> String {
    let titles = columns.map { Cell($0.title, .bold) }
    let hasTitles = titles.contains { !$0.text.isEmpty }
    let lines = (hasTitles ? [titles] : []) + rows
    let widths = fitted(widths(of: lines), to: terminal.width)
    return lines.flatMap { wrapped($0, widths) }
      .map { line($0, widths: widths, on: terminal) }.joined()
  }

  /// Returns a row as one or more rows, the further ones with the rest of columns that wrap.
  private func wrapped(_ cells: [Cell], _ widths: [Int]) -> [[Cell]] {
    let parts = columns.indices.map { index in
      columns[index].wraps
        ? cells[index].text.wrapped(to: widths[index]) : [cells[index].text]
    }
    return (0..<(parts.map(\.count).max() ?? 1)).map { number in
      columns.indices.map { index in
        Cell(number < parts[index].count ? parts[index][number] : "", cells[index].style)
      }
    }
  }
}

// MARK: - Measuring

extension Table {
  private static let gap = 2
  private static let leastWidth = 8
  private static let leastWrapped = 20

  private func widths(of lines: [[Cell]]) -> [Int] {
    columns.indices.map { index in lines.map { $0[index].text.displayWidth }.max() ?? 0 }
  }

  /// Returns widths that fit the terminal, by repeatedly narrowing the widest column that may
  /// shrink.
  private func fitted(_ widths: [Int], to width: Int?) -> [Int] {
    guard let width else { return widths }
    var widths = widths
    var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - width
    while excess > 0 {
      let candidates = columns.indices.filter {
        widths[$0] > (columns[$0].wraps ? Self.leastWrapped : Self.leastWidth)
          && (columns[$0].canShrink || columns[$0].wraps)
      }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [Cell], widths: [Int], on terminal: Terminal) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let text = cell.text.truncated(to: widths[index])
      let blanks = String(repeating: " ", count: widths[index] - text.displayWidth)
      let styled = cell.style.applied(to: text, on: terminal)
      let isLast = index == cells.count - 1
      switch columns[index].alignment {
      case .left: line += styled + (isLast ? "" : blanks)
      case .right: line += blanks + styled
      }
      if !isLast { line += String(repeating: " ", count: Self.gap) }
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}
