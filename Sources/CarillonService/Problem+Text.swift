#if Service
extension String {
  /// The text without the directories of files: `cannot open /data/phone/token` becomes
  /// `cannot open token`.
  ///
  /// Where a service keeps its files is not a client's business. Values of clients are in quotation
  /// marks, and stay as they are.
  var withoutDirectories: String {
    split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.first == "/", let slash = word.lastIndex(of: "/"), slash > word.startIndex else {
        return word
      }
      return word[word.index(after: slash)...]
    }.joined(separator: " ")
  }

  /// The text, in which each word and each text in quotation marks has at most 100 characters.
  var withShortValues: String {
    guard utf8.count > Self.maxValueLength else { return self }
    return split(separator: "\"", omittingEmptySubsequences: false).enumerated().map {
      index, part in
      guard index.isMultiple(of: 2) else { return Self.short(part) }
      return part.split(separator: " ", omittingEmptySubsequences: false).map(Self.short)
        .joined(separator: " ")
    }.joined(separator: "\"")
  }

  private static let maxValueLength = 100

  private static func short(_ text: Substring) -> String {
    text.utf8.count > maxValueLength ? "\(text.prefix(maxValueLength))…" : String(text)
  }
}
#endif
