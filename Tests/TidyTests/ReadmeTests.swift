import Foundation
import Testing

/// The claims of `README.md`, compared with the code.
struct ReadmeTests {
  private static let readme = SourceFile(path: "README.md")?.lines ?? []

  @Test("The README names every verb of the command line, and no others")
  func verbs() {
    let row = /\| (`[a-z]+[a-z `,-]*`) \|.*/
    let section = Self.readme.drop { $0 != "## The command line" }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }
    let named = section.compactMap { $0.wholeMatch(of: row)?.output.1 }
      .flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    #expect(named.sorted() == Self.leaves().sorted())
  }

  @Test("The source tour names every module, and no others")
  func tour() throws {
    let rows = Self.readme.drop { $0 != "## Source tour" }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }.compactMap { $0.split(separator: "|").first }
    let named = rows.flatMap { row in
      row.matches(of: /`(?:Sources\/)?(C\w+)`/).map { String($0.output.1) }
    }
    let sources = SourceTree.root.appending(path: "Sources").path(percentEncoded: false)
    let modules = try FileManager.default.contentsOfDirectory(atPath: sources)
    #expect(named.sorted() == modules.sorted())
  }

  @Test("The README's Swift code is the code that the example package compiles")
  func snippet() throws {
    let example = try #require(
      SourceFile(path: "tools/example-service/Sources/ReadmeSnippet.swift"))
    let begin = try #require(Self.readme.firstIndex(of: "```swift"))
    let shown = Self.readme[(begin + 1)...].prefix { $0 != "```" }
    let written = Set(example.lines.map { $0.trimmingCharacters(in: .whitespaces) })
    for line in shown {
      #expect(written.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
  }

  @Test("The README lists every exit code of the command line")
  func exitCodes() throws {
    let file = try #require(SourceFile(path: "Sources/CarillonDocuments/Programs/ExitStatus.swift"))
    let codes = file.lines.compactMap { line -> String? in
      line.firstMatch(of: /^  case .* = (\d+)$/).map { String($0.output.1) }
    }
    let listed = Self.readme.compactMap { $0.firstMatch(of: #/^\| ([\d, ]+) \| /#)?.output.1 }
      .joined(separator: ", ").components(separatedBy: ", ")
    #expect(codes.sorted() == listed.sorted())
  }

  /// The verbs that do work; subcommands are named with the verb above them.
  private static func leaves() -> [String] {
    let declared = SourceTree.sources.filter { $0.isUnder("Sources/CarillonCLI") }
      .flatMap { declarations(in: $0.lines.joined(separator: "\n")) }
    let parents = Dictionary(
      declared.flatMap { verb in verb.children.map { ($0, verb) } }, uniquingKeysWith: { $1 })
    return declared.filter(\.children.isEmpty).map { verb in
      guard let parent = parents[verb.type], parent.name != "carillon" else { return verb.name }
      return "\(parent.name) \(verb.name)"
    }
  }

  private struct Verb {
    let type: String
    let name: String
    let children: [String]
  }

  private static func declarations(in text: String) -> [Verb] {
    // A configuration ends before the next member, or the end of the type.
    let verb = /(?s)struct (\w+): [^{]*\{\s*static let configuration(.*?)\n(  [@a-z]|\})/
    return text.matches(of: verb).compactMap {
      guard let name = $0.output.2.firstMatch(of: /commandName:\s+"([\w-]+)"/)?.output.1 else {
        return nil
      }
      let children = $0.output.2.matches(of: /(\w+Command)\.self/).map { String($0.output.1) }
      return Verb(type: String($0.output.1), name: String(name), children: children)
    }
  }
}
