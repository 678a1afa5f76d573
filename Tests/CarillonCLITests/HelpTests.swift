import Testing

/// Help and completions.
struct HelpTests {
  private static let verbs = [
    "init", "clone", "habit", "slot", "done", "undo", "skip", "snooze", "active", "permission",
    "alerts",
    "settings", "pending", "plan", "explain", "log", "show", "status", "replicas", "diff", "append",
    "export",
    "import", "rebuild", "verify", "sync",
  ]

  @Test("The help lists every verb, however it is asked for")
  func help() async throws {
    let bench = try Workbench()
    for arguments in [["--help"], ["help"], ["-h"], [], ["--json", "--help"]] {
      let answer = try await bench.startPlain(arguments, store: nil).answer()
      #expect(answer.status == 0, "\(arguments) \(answer)")
      for verb in Self.verbs { #expect(answer.output.contains("\n  \(verb) "), "\(arguments)") }
    }
    for arguments in [["help", "habit"], ["habit", "--help"], ["habit"]] {
      let answer = try await bench.startPlain(arguments, store: nil).answer()
      #expect(answer.status == 0 && answer.output.contains("unarchive"), "\(arguments) \(answer)")
    }
    let add = try await bench.startPlain(["habit", "add", "--help"], store: nil).answer()
    #expect(add.status == 0 && add.output.contains("--unless"), "\(add)")
  }

  @Test("Completions for bash, zsh and fish know every verb", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let bench = try Workbench()
    let answer = try await bench.startPlain(
      ["--generate-completion-script", shell], store: nil
    ).answer()
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
    for verb in Self.verbs { #expect(answer.output.contains(verb), "\(shell) \(verb)") }
  }
}
