import CarillonDocuments

/// Rows in aligned columns, as wide as their contents, or fitted to the width of a terminal.
///
/// If the rows are wider than the terminal, a table does the following, in this order, until they
/// fit:
/// 1. It leaves out columns such as IDs, the last one first. A column that can shrink counts for
///    this as at most its ``Column/fairWidth``.
/// 2. It narrows the columns that can shrink to that width, then to ``readableWidth``.
/// 3. It sets columns one space apart instead of two.
/// 4. It narrows columns further.
///
/// A terminal shows no column that is empty below its title, if it can be left out, shrink or wrap.
/// A file or a pipe gets every column and every text in full. There, a text that is wider than
/// ``widestPadding`` moves only the rest of its own row.
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
    /// The width that the column needs before others are left out for it, if it can shrink.
    var fairWidth = 32
    /// Whether the column is left out if the table is wider than the terminal.
    var isOptional = false

    /// A column of IDs, which a terminal shows if there is room.
    static let id = Column(title: "id", isOptional: true)

    fileprivate var isFlexible: Bool { canShrink || wraps }
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
    let empty = columns.indices.filter { index in rows.allSatisfy { $0[index].text.isEmpty } }
    let layout = Layout(columns, widths(of: lines), empty: Set(empty), on: terminal)
    return lines.flatMap { wrapped($0, layout) }.map { line($0, layout, on: terminal) }.joined()
  }

  private func widths(of lines: [[Cell]]) -> [Int] {
    columns.indices.map { index in lines.map { $0[index].text.displayWidth }.max() ?? 0 }
  }

  /// Returns a row as one or more rows, the further ones with the rest of columns that wrap.
  private func wrapped(_ cells: [Cell], _ layout: Layout) -> [[Cell]] {
    let parts = columns.indices.map { index in
      columns[index].wraps && layout.isFitted
        ? cells[index].text.wrapped(to: layout.widths[index]) : [cells[index].text]
    }
    return (0..<(parts.map(\.count).max() ?? 1)).map { number in
      columns.indices.map { index in
        Cell(number < parts[index].count ? parts[index][number] : "", cells[index].style)
      }
    }
  }

  private func line(_ cells: [Cell], _ layout: Layout, on terminal: Terminal) -> String {
    var line = ""
    for index in layout.shown {
      let (cell, width) = (cells[index], layout.widths[index])
      let text = layout.isFitted ? cell.text.truncated(to: width) : cell.text
      let blanks = String(repeating: " ", count: max(0, width - text.displayWidth))
      let isolated = terminal.width == nil ? text : text.endingLeftToRight
      let styled = cell.style.applied(to: isolated, on: terminal)
      let isLast = index == layout.shown.last
      switch columns[index].alignment {
      case .left: line += styled + (isLast ? "" : blanks)
      case .right: line += blanks + styled
      }
      if !isLast { line += String(repeating: " ", count: layout.gap) }
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}

extension Table {
  /// The greatest width to which texts are padded if nothing is cut: that of the longest title.
  static let widestPadding = 200
  /// The width to which columns shrink before the gaps between columns do.
  static let readableWidth = 20

  /// The columns that are printed, with their widths.
  private struct Layout {
    private static let leastWidth = 8
    private static let leastWrappedWidth = 16

    /// The indices of the printed columns.
    private(set) var shown: [Int]
    private(set) var widths: [Int]
    /// The number of spaces between columns.
    private(set) var gap = 2
    /// Whether texts are cut and wrapped to the widths.
    let isFitted: Bool

    /// - Parameters:
    ///   - widths: The width of the widest text of each column.
    ///   - emptyColumns: The indices of the columns without a text below the title.
    init(_ columns: [Column], _ widths: [Int], empty emptyColumns: Set<Int>, on terminal: Terminal)
    {
      shown = columns.indices.filter { index in
        let canBeEmpty = columns[index].isOptional || columns[index].isFlexible
        return terminal.width == nil || !canBeEmpty || !emptyColumns.contains(index)
      }
      self.widths = widths
      isFitted = terminal.width != nil
      guard let width = terminal.width else {
        self.widths = widths.map { min($0, widestPadding) }
        return
      }
      let fair = columns.indices.map {
        columns[$0].isFlexible ? min(widths[$0], columns[$0].fairWidth) : widths[$0]
      }
      while excess(of: fair, over: width) > 0,
        let last = shown.last(where: { columns[$0].isOptional })
      {
        shown.removeAll { $0 == last }
      }
      narrow(columns, in: width) { $0.fairWidth }
      narrow(columns, in: width) { min($0.fairWidth, readableWidth) }
      if excess(of: self.widths, over: width) > 0 { gap = 1 }
      narrow(columns, in: width) { $0.wraps ? Self.leastWrappedWidth : Self.leastWidth }
    }

    private func excess(of widths: [Int], over width: Int) -> Int {
      shown.reduce(0) { $0 + widths[$1] } + gap * (shown.count - 1) - width
    }

    /// Narrows the columns that can shrink, each to at least a width: again and again the one that
    /// is furthest above its own.
    private mutating func narrow(
      _ columns: [Column], in width: Int, to least: (Column) -> Int
    ) {
      while excess(of: widths, over: width) > 0 {
        let candidates = shown.filter { columns[$0].isFlexible }
          .map { (index: $0, excess: widths[$0] - least(columns[$0])) }
        guard let widest = candidates.max(by: { $0.excess < $1.excess }), widest.excess > 0 else {
          return
        }
        widths[widest.index] -= 1
      }
    }
  }
}
