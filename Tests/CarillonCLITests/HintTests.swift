import Foundation
import Testing

@testable import CarillonCLI

/// What an error says to try is a command that there is.
struct HintTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  /// Words that follow the program's name where no command is meant.
  private static let prose = Set(["there", "on", "ended", "must", "is"])

  /// The commands that the texts of all sources name, with where; the word that stands for a value
  /// is in capital letters.
  private static func commands() throws -> [(place: String, words: [String])] {
    var found: [(String, [String])] = []
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    for case let name as String in files where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
        .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        .joined(separator: "\n")
        .replacing(/"\s*\+ "/, with: "").replacing(/\\\n\s*/, with: "")
        .replacing(/\\\((?:[^()"]|"[^"]*"|\([^()]*\))*\)/, with: "VALUE")
      for match in text.matches(of: /carillon ([a-z][^"\n;,.)\\]*)/) {
        let words = match.1.split(separator: " ").map(String.init)
        guard !prose.contains(words[0]) else { continue }
        found.append((name, words))
      }
    }
    return found
  }

  @Test("Each command that a hint or a help text names is one, with these flags")
  func commands() throws {
    let commands = try Self.commands()
    #expect(commands.count > 40)
    for (place, words) in commands {
      #expect(throws: Never.self, "\(place): carillon \(words.joined(separator: " "))") {
        let order = ArgumentOrder(words, verbs: CommandRunner.verbs)
        _ = try CommandRunner.parse(order)
      }
    }
  }

  @Test("A command that is none is found", arguments: ["backup", "sync --heal A B", "done"])
  func none(command: String) {
    let order = ArgumentOrder(
      command.split(separator: " ").map(String.init), verbs: CommandRunner.verbs)
    #expect(throws: (any Error).self) { try CommandRunner.parse(order) }
  }
}
