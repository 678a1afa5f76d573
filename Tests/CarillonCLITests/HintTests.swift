import Carillon
import CarillonDocuments
import CarillonModel
import Foundation
import Testing

@testable import CarillonCLI

/// Every command in a hint or a help text exists.
struct HintTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  /// Words after the program's name that do not begin a command.
  private static let prose = Set(["there", "on", "ended", "must", "is"])

  /// The commands in the texts of all sources, with their files; placeholders are in capital
  /// letters.
  private static func commands() throws -> [(place: String, words: [String])] {
    var found: [(String, [String])] = []
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    for case let name as String in files where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
        .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        .joined(separator: "\n")
        .replacing(/"\s*\+ "/, with: "").replacing(/\\\n\s*/, with: "")
        .replacing(/\\\((?:call\.)?(?:output\.)?carillon\)/, with: "carillon")
        .replacing(/\\\((?:[^()"]|"[^"]*"|\([^()]*\))*\)/, with: "VALUE")
      for match in text.matches(of: /carillon ([a-z][^"\n;,.)\\]*)/) {
        let words = match.1.split(separator: " ").map(String.init)
        guard !prose.contains(words[0]) else { continue }
        found.append((name, words))
      }
    }
    return found
  }

  @Test("Each command in a hint or a help text parses, with its flags")
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

  @Test(
    "A command that does not exist is detected", arguments: ["prune", "sync --repair A B", "done"])
  func none(command: String) {
    let order = ArgumentOrder(
      command.split(separator: " ").map(String.init), verbs: CommandRunner.verbs)
    #expect(throws: (any Error).self) { try CommandRunner.parse(order) }
  }

  @Test("If the command line names the store, the commands in its hints do too")
  func storeNamed() async throws {
    let bench = try await Workbench.withStore()
    let place = bench.path("phone")
    let quoted = NextCommand.carillon(store: place)
    let unknown = try await bench.startPlain(["done", "Nope", "--store", place]).answer()
    #expect(unknown.errors.contains("\(quoted) habit list --all"), "\(unknown)")
    let pending = try await bench.startPlain(["pending", "--store=\(place)"]).answer()
    #expect(pending.output.contains("\(quoted) habit add Walk --at 17:00"), "\(pending)")
    #expect(NextCommand.carillon(store: "it's") == #"carillon --store 'it'\''s'"#)
    #expect(NextCommand.carillon(store: "-x") == "carillon --store ./-x")
    #expect(NextCommand.carillon(store: "é\u{1B}'b") == #"carillon --store $'\303\251\033\047b'"#)
    let hint = "see: carillon status, or make one: carillon init --store DIR"
    let named = "see: carillon --store s status, or make one: carillon init --store DIR"
    #expect(NextCommand.naming("s", in: hint) == named)
    let elsewhere = "update it; or (there, run: carillon status), or there: carillon invite"
    #expect(NextCommand.naming("s", in: elsewhere) == elsewhere)
    #expect(NextCommand.naming(nil, in: "carillon verify") == "carillon verify")
  }

  @Test(
    "A habit whose title cannot be pasted is named by its ID in every command that is suggested",
    arguments: ["-hello", "a\u{1B}[2J\u{202E}b"])
  func titleThatCannotBePasted(title: String) async throws {
    let bench = try await Workbench.withStore()
    let id = "00000000-0000-0000-0000-000000000001"
    let line =
      #"{"type":"habit.created","habit":"\#(id)","title":"# + JSON.text(title).description + "}\n"
    #expect(try await bench.run("append", input: line).status == 0)
    let calls = [
      (["pending"], "habit show"), (["habit", "show", id], "schedule add"),
      (["explain", id], "schedule add"), (["habit", "edit", id, "--at", "17:00"], "schedule add"),
      (["done", id], nil), (["skip", id], "undo"), (["habit", "archive", id], nil),
      (["done", id], "habit unarchive"), (["schedule", "add", id, "--at", "17:00"], nil),
      (["explain", id], "habit unarchive"), (["habit", "unarchive", id], nil),
      (["habit", "pause", id], nil), (["explain", id, "--on", "tomorrow"], "habit resume"),
    ]
    for (arguments, suggested) in calls {
      let answer = try await bench.start(arguments).answer()
      let text = answer.output + answer.errors
      if let suggested { #expect(text.contains("carillon \(suggested) \(id)"), "\(answer)") }
      #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{202E}"].contains($0) }, "\(answer)")
    }
  }

  @Test("Too little memory, or a backup that cannot be read, is no problem of what is created")
  func creating() {
    func failure(_ code: StoreError.Code, _ reason: ErrorReason?) -> CommandFailure? {
      CommandFailure(creating: StoreError(code: code, message: "refused", reason: reason))
    }
    #expect(failure(.io, nil)?.status == .cannotCreate)
    #expect(failure(.readOnly, nil)?.status == .cannotCreate)
    #expect(failure(.io, .addressSpace) == nil)
    #expect(failure(.readOnly, .backupFile) == nil)
  }

  @Test("A store without its log is reported differently from a missing store")
  func lostLog() async throws {
    let bench = try await Workbench.withStore()
    try FileManager.default.removeItem(at: bench.url("phone/log/data.mdb"))
    let answer = try await bench.run("status")
    #expect(answer.status == 66 && answer.errors.contains("no log/data.mdb"), "\(answer)")
  }
}
