import Testing

/// Help and completions.
struct HelpTests {
  private static let verbs = [
    "init", "clone", "habit", "schedule", "done", "undo", "skip", "snooze", "active", "permission",
    "alerts",
    "settings", "pending", "plan", "explain", "log", "show", "status", "replicas", "diff", "append",
    "export",
    "import", "rebuild", "verify", "sync", "join-store",
  ]

  @Test("Every form of asking for help lists every verb")
  func help() async throws {
    let bench = try Workbench()
    for arguments in [["--help"], ["help"], ["-h"], [], ["--json", "--help"]] {
      let answer = try await bench.startPlain(arguments, store: nil).answer()
      #expect(answer.status == 0, "\(arguments) \(answer)")
      for verb in Self.verbs { #expect(answer.output.contains("\n  \(verb) "), "\(arguments)") }
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
    "Completions offer the names of settings, owners, levels and conditions",
    arguments: ["bash", "zsh", "fish"])
  func namesInCompletions(shell: String) async throws {
    let bench = try Workbench()
    let answer = try await bench.startPlain(
      ["--generate-completion-script", shell], store: nil
    ).answer()
    let separator = ["bash": "'$'\\n''", "zsh": "' '", "fish": " "][shell] ?? ""
    for names in [
      ["quietHours", "horizonDays", "staleHours", "digest", "asksToOpen", "primingDays"],
      ["phoneFirst", "phone", "watch", "both"], ["passive", "active", "timeSensitive", "critical"],
      ["done", "quota", "entry"], ["phone", "tablet", "watch", "desktop", "server"],
    ] {
      #expect(answer.output.contains(names.joined(separator: separator)), "\(shell) \(names)")
    }
  }

  @Test(
    "Completions for bash, zsh and fish include every verb", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let bench = try Workbench()
    let answer = try await bench.startPlain(
      ["--generate-completion-script", shell], store: nil
    ).answer()
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
    for verb in Self.verbs { #expect(answer.output.contains(verb), "\(shell) \(verb)") }
  }
}
