import Foundation

/// A function, initializer or computed property: where it starts and how many lines it has.
struct FunctionLines: Equatable {
  let line: Int
  let lineCount: Int

  /// Finds the ranges in formatted code: a body ends with the first brace that is indented as
  /// little as its declaration.
  static func all(in lines: [String]) -> [FunctionLines] {
    lines.indices.compactMap { index in
      guard keywords.contains(where: lines[index].contains),
        lines[index].range(of: declaration, options: .regularExpression) != nil,
        let end = bodyEnd(of: index, in: lines)
      else { return nil }
      return FunctionLines(line: index + 1, lineCount: end - index + 1)
    }
  }

  /// What a declaration contains; a pattern takes much longer to try.
  private static let keywords = ["func ", "init", "subscript", "var "]

  /// Attributes and modifiers, then a declaration that has a body.
  private static let declaration =
    #"^ *(@[A-Za-z]+(\([^)]*\))? )*([a-z]+(\([a-z]+\))? )*"#
    + #"(func .*|init[?(<].*|deinit.*|subscript.*|var .*\{)$"#

  /// Returns the index of the line that closes the body, or nil if there is no body.
  private static func bodyEnd(of start: Int, in lines: [String]) -> Int? {
    let margin = lines[start].prefix { $0 == " " }
    var isInBody = lines[start].hasSuffix("{")
    if !isInBody && lines[start].contains("{") { return start }
    for index in (start + 1)..<lines.count {
      let line = lines[index]
      if isInBody {
        if line.hasPrefix(margin + "}") { return index }
      } else {
        guard continuesSignature(line, margin: margin) else { return nil }
        isInBody = line.hasSuffix("{")
        if !isInBody && line.hasSuffix("}") { return index }
      }
    }
    return nil
  }

  private static func continuesSignature(_ line: String, margin: Substring) -> Bool {
    line.hasPrefix(margin + " ") || line.hasPrefix(margin + ")") || line.hasPrefix(margin + "where")
  }
}
