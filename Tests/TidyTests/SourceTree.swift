import Foundation
import Testing

/// The files of the repository, as the tests of style read them.
enum SourceTree {
  /// The repository's root, three levels above this file.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every Swift file written by hand.
  static let swift = files(under: ["Package.swift", "Sources", "Tests", "tools"]) {
    $0.hasSuffix(".swift")
  }

  /// The Swift files of the libraries and the command line.
  static let sources = swift.filter { $0.isUnder("Sources") }

  /// The Swift files of the tests.
  static let tests = swift.filter { $0.isUnder("Tests") }

  /// Everything that people read: code, scripts, specifications and prose.
  static let texts = files(
    under: [
      "Package.swift", "README.md", "CHANGELOG.md", ".ci", "Sources", "Tests",
      "protocol", "tools",
    ]
  ) { path in
    !path.contains(".") || textSuffixes.contains(String(path.split(separator: ".").last ?? ""))
      || path.hasPrefix(".ci/")
  }

  private static let textSuffixes: Set = [
    "swift", "md", "sql", "proto", "json", "ndjson", "h", "c", "py", "modulemap",
  ]

  /// Reads the files at and below some paths, except generated and built ones, in order of path.
  private static func files(
    under roots: [String], where isWanted: (String) -> Bool
  ) -> [SourceFile] {
    roots.flatMap(paths(at:)).filter(isWanted).sorted().compactMap(SourceFile.init(path:))
  }

  private static func paths(at path: String) -> [String] {
    let place = root.appending(path: path).path(percentEncoded: false)
    // The target of a link is in the tree as well.
    guard (try? FileManager.default.destinationOfSymbolicLink(atPath: place)) == nil else {
      return []
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: place) else {
      return FileManager.default.fileExists(atPath: place) ? [path] : []
    }
    return names.filter { !$0.hasPrefix(".build") && $0 != "Generated" && $0 != "__pycache__" }
      .flatMap { paths(at: "\(path)/\($0)") }
  }
}

/// One file: its path from the root, and its text.
struct SourceFile: Sendable, CustomTestStringConvertible {
  let path: String
  let text: String
  let lines: [String]
  /// The lines without comments and without the content of string literals; only of Swift files.
  let code: [String]

  /// Reads a file; nil if it is not UTF-8 text.
  init?(path: String) {
    let url = SourceTree.root.appending(path: path)
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
    self.init(path: path, text: text)
  }

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    code = path.hasSuffix(".swift") ? Self.code(of: lines) : []
  }

  var testDescription: String { path }

  /// The file's name without its suffix.
  var name: String {
    let last = path.split(separator: "/").last ?? ""
    return String(last.prefix { $0 != "." })
  }

  /// The module that the file belongs to.
  var module: String {
    String(path.split(separator: "/").dropFirst().first ?? "")
  }

  func isUnder(_ directory: String) -> Bool { path.hasPrefix(directory + "/") }

  private static func code(of lines: [String]) -> [String] {
    var isInText = false
    return lines.map { line in
      defer { if line.components(separatedBy: "\"\"\"").count % 2 == 0 { isInText.toggle() } }
      return isInText ? "" : code(of: line)
    }
  }

  private static func code(of line: String) -> String {
    guard line.contains("\"") || line.contains("//") else { return line }
    var code = ""
    var isQuoted = false
    var rest = Substring(line)
    while let first = rest.popFirst() {
      if first == "\\" && isQuoted {
        _ = rest.popFirst()
      } else if first == "\"" {
        isQuoted.toggle()
        code.append(first)
      } else if !isQuoted && first == "/" && rest.first == "/" {
        return code
      } else if !isQuoted {
        code.append(first)
      }
    }
    return code
  }

  /// Whether the text contains at least one of some patterns.
  func contains(anyOf patterns: [String]) -> Bool {
    let pattern = "(?m)" + patterns.map { "(?:\($0))" }.joined(separator: "|")
    return text.range(of: pattern, options: .regularExpression) != nil
  }

  /// The places where a pattern occurs, as `path:line: text`.
  func matches(_ pattern: String, in lines: [String]) -> [String] {
    // Few files have a match, and one search is much faster than one for each line.
    guard contains(anyOf: [pattern]) else { return [] }
    return lines.indices
      .filter { lines[$0].range(of: pattern, options: .regularExpression) != nil }
      .map { "\(path):\($0 + 1): \(self.lines[$0].trimmingCharacters(in: .whitespaces))" }
  }
}
