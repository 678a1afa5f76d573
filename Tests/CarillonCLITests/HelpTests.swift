import Testing

@testable import CarillonCLI

/// Help and completions.
struct HelpTests {
  private static let verbs = [
    "init", "clone", "habit", "schedule", "done", "undo", "skip", "snooze", "active", "permission",
    "alerts",
    "settings", "pending", "plan", "explain", "log", "show", "status", "replicas", "diff", "append",
    "export",
    "import", "rebuild", "verify", "sync", "serve", "join-store",
  ]

  @Test("Every form of asking for help lists every verb")
  func help() async throws {
    let bench = try Workbench()
    for arguments in [["--help"], ["help"], ["-h"], [], ["--json", "--help"]] {
      let answer = try await bench.startPlain(arguments, store: nil).answer()
      #expect(answer.status == 0, "\(arguments) \(answer)")
      for verb in Self.verbs {
        // An alias follows a comma.
        #expect(answer.output.contains(try Regex("\n  \(verb)[ ,]")), "\(arguments) \(verb)")
      }
    }
    for arguments in [
      ["help", "habit"], ["habit", "--help"], ["habit"], ["habit", "help"],
      ["help", "--json", "habit"], ["habit", "help", "--store", "none"], ["help", "habit", "-h"],
    ] {
      let answer = try await bench.startPlain(arguments, store: nil).answer()
      #expect(answer.status == 0 && answer.output.contains("unarchive"), "\(arguments) \(answer)")
    }
    for arguments in [
      ["habit", "add", "--help"], ["help", "habit", "add"], ["habit", "help", "add"],
    ] {
      let add = try await bench.startPlain(arguments, store: nil).answer()
      #expect(add.status == 0 && add.output.contains("--unless"), "\(add)")
    }
  }

  @Test("Help for an unknown verb is a usage error that suggests a similar verb")
  func noVerb() async throws {
    let bench = try Workbench()
    for (arguments, hint) in [
      (["help", "nosuch"], "see carillon --help"), (["help", "habti"], "carillon habit?"),
      (["help", "habit", "lsit"], "carillon habit list?"), (["statsu"], "carillon status?"),
      (["habit", "help", "lsit"], "carillon habit list?"),
      (["help", "done", "x"], "carillon done has no command \"x\""),
      (["receipts", "help", "erase", "x"], "see carillon receipts erase --help"),
    ] {
      let answer = try await bench.startPlain(arguments, store: nil).answer()
      #expect(answer.status == 64 && answer.output.isEmpty, "\(arguments) \(answer)")
      #expect(answer.errors.contains(hint), "\(arguments) \(answer)")
      let json = try await bench.startPlain(arguments + ["--json"], store: nil).answer()
      #expect(json.status == 64 && json.errors.contains(#""code":"usage""#), "\(json)")
      #expect(json.errors.split(separator: "\n").count == 1, "\(json)")
    }
  }

  @Test(
    "A global option without its value is an error, also without a command",
    arguments: [["--store"], ["--now"], ["--json", "--zone"]])
  func missingValue(arguments: [String]) async throws {
    let bench = try Workbench()
    let answer = try await bench.startPlain(arguments, store: nil).answer()
    #expect(answer.status == 64 && answer.output.isEmpty, "\(answer)")
    #expect(answer.errors.contains("Missing value for '\(arguments.last ?? "")"), "\(answer)")
  }

  @Test(
    "A word that begins with a hyphen is no request for help, and the hint says how to write it",
    arguments: [
      ("habit add -dash --at 8am", "carillon habit add --at 8am -- -dash"),
      ("done -dash -hike", "carillon done -- -dash -hike"), ("done -xyz", "carillon done -- -xyz"),
      ("note Walk -dash", "carillon note Walk -- -dash"), ("habit show -dash", "show -- -dash"),
      ("note -dash far", "carillon note -- -dash far"),
      ("habit add A --notes -dash", "--notes=-dash"), ("status -dash", "write -- before"),
    ])
  func hyphens(line: String, hint: String) async throws {
    let bench = try Workbench()
    let arguments = line.split(separator: " ").map(String.init)
    let answer = try await bench.startPlain(arguments, store: nil).answer()
    #expect(answer.status == 64 && answer.output.isEmpty, "\(answer)")
    #expect(answer.errors.contains(hint), "\(answer)")
    // After an option, the parser takes any word as its value.
    for help in ["-h", "--help"] where !line.contains("--notes") {
      let asked = try await bench.startPlain(arguments + [help], store: nil).answer()
      #expect(asked.status == 0 && asked.output.contains("USAGE"), "\(asked)")
    }
  }

  @Test(
    "Completions offer the names of settings, owners, levels and conditions",
    arguments: [
      ("settings set", ["quietHours", "horizonDays", "staleHours", "digest", "asksToOpen"]),
      ("habit add A --owner", ["phoneFirst", "phone", "watch", "both"]),
      ("habit add A --level", ["passive", "active", "timeSensitive", "critical"]),
      ("habit add A --unless", ["done", "quota", "entry"]),
      ("init --role", ["phone", "tablet", "watch", "desktop", "server"]),
    ])
  func namesInCompletions(words: String, names: [String]) async throws {
    let bench = try Workbench()
    let request = [CompletionScript.request, "bash"] + words.split(separator: " ").map(String.init)
    let answer = try await bench.startPlain(request + [""], store: nil).answer()
    let offered = Set(answer.output.split(separator: "\n").map(String.init))
    #expect(offered.isSuperset(of: names), "\(answer)")
  }

  @Test("Completions include every verb", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let bench = try Workbench()
    let script = try await bench.startPlain(
      ["--generate-completion-script", shell], store: nil
    ).answer()
    #expect(script.status == 0 && script.errors.isEmpty, "\(script.errors)")
    let answer = try await bench.startPlain(
      [CompletionScript.request, shell, ""], store: nil
    ).answer()
    let offered = Set(answer.output.split(separator: "\n").map(String.init))
    #expect(offered.isSuperset(of: Self.verbs + ["entry", "help"]), "\(shell) \(answer)")
  }
}
