import CarillonDocuments

extension Terminal {
  /// Returns the meanings of marks as lines that fit the terminal, each meaning in one piece.
  func legend(_ meanings: [String]) -> String {
    var lines: [String] = []
    for meaning in meanings {
      if let last = lines.last, "\(last)  \(meaning)".displayWidth <= width ?? .max {
        lines[lines.count - 1] += "  " + meaning
      } else {
        lines.append(meaning)
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
