import Foundation
import Testing

/// Words and patterns that must not occur, and code that requires a written reason.
struct WordTests {
  /// Terms that are not used, as patterns, and the term to use.
  private static let words: [(pattern: String, instead: String)] = [
    (#"(?i)\bmateriali[sz]er"#, "projection"),
    (#"(?i)\b(vector clock|clock vector)"#, "version vector"),
    (#"(?i)\bnodes?\b"#, "replica"),
    (#"(?i)\b(tombstone|removal by name)"#, "observed-remove"),
    (#"(?i)\b(whitelist|blacklist)"#, "allowed, refused"),
    (#"(?i)\b(master|slave)\b"#, "initiator, responder"),
    (#"(?i)\bqueue items?\b"#, "request"),
    (#"(?i)\bsequence numbers? gap"#, "gap"),
    (
      #"\b(let|var|func) (idx|ctx|msg|txn|tmp|buf|len|num|cnt|evt|seq|cfg|str|arr|dict|ptr)\b"#,
      "the whole word"
    ),
    (#"\bslots?\b|\bSlot(s|ID)?\b"#, "schedule"),
    (#"(?i)\bbare (event|content|payload|run)|\bBareContent\b"#, "redacted"),
    (#"\b[Ss]ettling\b"#, "unconfirmed"),
    (#"(?i)\b(sync|who) leads?\b|SyncLeader|answerer"#, "initiator, responder"),
    (#"\b(Sync|Pipe|Local|Lossy)Link\b"#, "transport"),
    (#"\bstretch(es)?\b"#, "range"),
    (#"(?i)\bheal(s|ed|ing)?\b|\b[Mm]end(s|ed)?\b"#, "repair"),
    (#"(?i)\brestat(e|es|ed|ing|ement)\b"#, "identity announcement"),
    (#"(?i)\bwhereabouts\b"#, "zone history"),
    (#"(?i)\b(kept facts|past keeping)\b"#, "retention, expired"),
    (#"(?i)\bbegun apart\b"#, "unrelated stores"),
    (#"(?i)\b(own register|grow set)\b"#, "per-replica LWW register, grow-only set"),
    (#"\b(it|that|which|reminder|occurrence) (rings|rang)\b"#, "fires, fired"),
  ]

  /// Phrases that are hard to read, as patterns, and what to write.
  private static let phrases: [(pattern: String, instead: String)] = [
    (#"\b(is|are|was|were) told\b"#, "reports, returns, lists"),
    (#"\bso many\b"#, "the number's name"),
    (#"\banew\b"#, "again"),
    (#"\bin vain\b"#, "without effect"),
    (#"\bcomes? to (its|the) ID\b"#, "hashes to its ID"),
  ]

  @Test("Each thing has one name, and sentences are plain", arguments: prose)
  func vocabulary(_ file: SourceFile) {
    // One search for all of them is faster than a search for each.
    guard file.contains(anyOf: (Self.words + Self.phrases).map(\.pattern)) else { return }
    for word in Self.words + Self.phrases {
      let found = file.matches(word.pattern, in: file.lines)
      #expect(found.isEmpty, "say \(word.instead): \(found)")
    }
  }

  /// What people read, except this file and the changelog, which names what was renamed.
  private static let prose = SourceTree.texts.filter {
    !$0.path.hasSuffix("WordTests.swift") && $0.path != "CHANGELOG.md"
      && !$0.path.hasSuffix("json")
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
