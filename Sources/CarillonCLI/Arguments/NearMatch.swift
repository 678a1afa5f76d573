extension String {
  /// Returns the word of a list that this misspelled word probably means, or nil.
  ///
  /// This is the only word that begins with this text, or else the word with the fewest differing
  /// letters, at most 2 (1 if this text has fewer than 5 letters).
  ///
  /// - Complexity: O(list × length²). A text of fewer than 2 or more than 20 characters matches
  ///   nothing.
  func nearest(of words: [String]) -> String? {
    guard (2...Self.maxNearLength).contains(count) else { return nil }
    let matches = words.filter { $0.hasPrefix(self) }
    if matches.count == 1 { return matches[0] }
    let most = count < 5 ? 1 : 2
    return words.map { (distance(to: $0), $0) }.filter { $0.0 <= most }.min { $0.0 < $1.0 }?.1
  }

  private static let maxNearLength = 20

  /// Returns the number of letters to change, add, remove, or swap with the next one.
  private func distance(to other: String) -> Int {
    let (own, other) = (Array(self), Array(other))
    var before: [Int] = []
    var above = Array(0...other.count)
    for row in own.indices {
      var line = [row + 1]
      for column in other.indices {
        let isSame = own[row] == other[column]
        var least = Swift.min(
          line[column] + 1, above[column + 1] + 1, above[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, own[row] == other[column - 1], own[row - 1] == other[column] {
          least = Swift.min(least, before[column - 1] + 1)
        }
        line.append(least)
      }
      (before, above) = (above, line)
    }
    return above[other.count]
  }
}
