import Foundation
import Testing

/// Words and patterns that must not occur, and code that requires a written reason.
struct WordTests {
  /// Patterns of words to avoid, and the word to use instead.
  private static let words: [(pattern: String, instead: String)] = [
    (#"(?i)\bmateriali[sz]er"#, "projection"),
    (#"(?i)\b(vector clock|clock vector)"#, "version vector"),
    (#"(?i)\bnodes?\b"#, "replica"),
    (#"(?i)\btombstone"#, "observed-remove"),
    (#"(?i)\b(whitelist|blacklist)"#, "allowed, refused"),
    (#"(?i)\b(master|slave)\b"#, "initiator"),
    (#"(?i)\bqueue items?\b"#, "request"),
    (#"(?i)\bsequence numbers? gap"#, "gap"),
    (
      #"\b(let|var|func) (idx|ctx|msg|txn|tmp|buf|len|num|cnt|evt|seq|cfg|str|arr|dict|ptr)\b"#,
      "the whole word"
    ),
  ]

  @Test("Each thing has one name", arguments: SourceTree.sources)
  func vocabulary(_ file: SourceFile) {
    for word in Self.words {
      let found = file.matches(word.pattern, in: file.lines)
      #expect(found.isEmpty, "say \(word.instead): \(found)")
    }
  }

  @Test("No comment leaves work for later")
  func openEnds() {
    let pattern =
      #"\b("# + ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"].joined(separator: "|")
      + #")\b"#
    for file in SourceTree.texts {
      let found = file.matches(pattern, in: file.lines)
      #expect(found.isEmpty, "\(found)")
    }
  }

  @Test("No error is turned into a crash", arguments: SourceTree.swift)
  func crashes(_ file: SourceFile) {
    let found = file.matches(#"\btry!|\bas! |catch \{\s*\}"#, in: file.code)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("Code that the compiler cannot check has a three-line proof", arguments: SourceTree.swift)
  func proofs(_ file: SourceFile) {
    let code = file.code
    for index in code.indices where code[index].contains("@unchecked Sendable") {
      let above = file.lines[..<index].reversed().drop { $0.contains("@") && !$0.contains("//") }
      let proof = above.prefix { $0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
      #expect(proof.count >= 3, "\(file.path):\(index + 1)")
    }
  }

  @Test("The repository contains no path of a personal machine")
  func machines() {
    let pattern =
      #"(^|[\s"'=(])/("# + ["home", "Users", "root", "work"].joined(separator: "|") + #")/\w"#
    for file in SourceTree.texts {
      let found = file.matches(pattern, in: file.lines)
      #expect(found.isEmpty, "\(found)")
    }
  }
}
