import Foundation
import Testing

/// Every tool describes itself, and prose names only files that exist.
struct LayoutTests {
  @Test("The changelog starts with the unreleased changes")
  func changelog() throws {
    let file = try #require(SourceFile(path: "CHANGELOG.md"))
    #expect(file.lines.first { $0.hasPrefix("## ") } == "## Unreleased")
  }

  @Test("Every file named in prose exists, and every tool is executable")
  func namedFiles() {
    let pattern = /`((?:tools|protocol|Sources|Tests|\.ci)\/[\w.\/-]+)[` ]/
    for file in SourceTree.texts where file.path.hasSuffix(".md") {
      for match in file.lines.joined(separator: "\n").matches(of: pattern) {
        let path = SourceTree.root.appending(path: String(match.output.1))
          .path(percentEncoded: false)
        let isTool = match.output.1.hasPrefix("tools/") && !match.output.1.contains(".")
        #expect(
          isTool
            ? FileManager.default.isExecutableFile(atPath: path)
            : FileManager.default.fileExists(atPath: path),
          "\(file.path): \(match.output.1)")
      }
    }
  }

  @Test("A shell script stops at the first error, and its first lines say what it does")
  func scripts() {
    for file in SourceTree.texts where file.lines.first == "#!/usr/bin/env bash" {
      #expect(file.lines.dropFirst().prefix(2).allSatisfy { $0.hasPrefix("# ") }, "\(file.path)")
      #expect(file.lines.contains("set -euo pipefail"), "\(file.path)")
    }
  }
}
