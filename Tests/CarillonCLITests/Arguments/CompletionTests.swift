import Foundation
import Testing

@testable import CarillonCLI

/// What a TAB inserts, asked as the shells' scripts ask.
struct CompletionTests {
  private func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Morning run", "Mom's call", "Caf\u{E9}"] {
      _ = try await bench.addHabit(title, "--at", "17:00")
    }
    try await bench.run("habit", "delete", "Walk")
    return bench
  }

  private func complete(
    _ bench: Workbench, _ shell: String, _ words: String...
  ) async throws -> [String] {
    let answer = try await bench.startPlain([CompletionScript.request, shell] + words).answer()
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer)")
    return answer.output.split(separator: "\n").map(String.init)
  }

  @Test("Verbs, flags, their values, topics and directories are completed")
  func words() async throws {
    let bench = try await bench()
    #expect(try await complete(bench, "bash", "hab") == ["habit"])
    #expect(try await complete(bench, "bash", "habit", "unar") == ["unarchive"])
    #expect(try await complete(bench, "bash", "help", "ti") == ["times"])
    #expect(try await complete(bench, "bash", "help", "habit", "lis") == ["list"])
    #expect(try await complete(bench, "bash", "done", "--amo") == ["--amount"])
    #expect(try await complete(bench, "bash", "done", "--sto") == ["--store"])
    #expect(
      try await complete(bench, "bash", "receipts", "list", "--state", "del") == ["delivered"])
    #expect(try await complete(bench, "bash", "init", "--role", "wa") == ["watch"])
    #expect(try await complete(bench, "bash", "settings", "set", "quiet") == ["quietHours"])
    #expect(try await complete(bench, "bash", "--store", "") == [":directories"])
    #expect(try await complete(bench, "bash", "clone", "") == [":directories"])
    #expect(try await complete(bench, "bash", "nosuch", "x").isEmpty)
    #expect(try await complete(bench, "tcsh", "hab").isEmpty)
  }

  @Test("Titles, schedules and replicas of the store are completed, and a wrong store is silent")
  func things() async throws {
    let bench = try await bench()
    #expect(try await complete(bench, "zsh", "done", "mor") == ["Morning run"])
    #expect(try await complete(bench, "bash", "done", "mo") == ["Mom\\'s\\ call", "Morning\\ run"])
    #expect(try await complete(bench, "bash", "done", "\"Mor") == ["Morning run"])
    #expect(try await complete(bench, "bash", "done", "Morning\\ r") == ["Morning\\ run"])
    #expect(try await complete(bench, "fish", "done", "Mom's call", "cafe") == ["Caf\u{E9}"])
    #expect(try await complete(bench, "zsh", "habit", "restore", "") == ["Walk"])
    #expect(try await complete(bench, "zsh", "snooze", "Morning run", "").isEmpty)
    #expect(try await complete(bench, "zsh", "replicas", "close", "ph") == ["phone"])
    let shown = try await bench.json("habit", "show", "cafe")["schedules"]?[0]?["id"]?.text
    let id = try #require(shown)
    #expect(try await complete(bench, "zsh", "schedule", "remove", String(id.prefix(9))) == [id])
    #expect(
      try await complete(bench, "zsh", "schedule", "edit", "mor") == ["Morning run"])
    #expect(try await complete(bench, "zsh", "replica", "ret") == ["retire"])
    #expect(try await complete(bench, "zsh", "replica", "rename", "") == ["phone"])
    #expect(try await complete(bench, "zsh", "--store", "none", "done", "").isEmpty)
  }

  @Test("A title is also completed from one of its later words, and after --store=DIR in bash")
  func laterWords() async throws {
    let bench = try await bench()
    #expect(try await complete(bench, "zsh", "done", "run") == ["Morning run"])
    // As it is typed.
    let store = bench.path("phone").map { $0 == "/" ? "/" : "\\\($0)" }.joined()
    #expect(
      try await complete(bench, "bash", "--store", "=", store, "done", "cal") == ["Mom\\'s\\ call"])
    #expect(try await complete(bench, "bash", "--store", "=", "none", "done", "cal").isEmpty)
  }

  /// Runs a script in a shell with the completions loaded; skipped where the shell is missing.
  private func run(_ shell: String, _ bench: Workbench, _ script: String) async throws -> Answer {
    let directory = bench.url("bin")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try? FileManager.default.createSymbolicLink(
      at: directory.appending(path: "carillon"), withDestinationURL: Executable.url)
    let text = try await bench.startPlain(
      ["--generate-completion-script", shell], store: nil
    ).answer().output
    try bench.write(text, to: "completions")
    try bench.write(script, to: "script")
    return try await bench.startShell(
      #"cd "$(dirname "$CARILLON_STORE")" && exec "# + (shell == "zsh" ? "zsh -f" : shell)
        + " script",
      with: ["PATH": directory.path + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
    ).answer()
  }

  @Test("bash inserts a title with a blank and a quote as one word")
  func bash() async throws {
    let bench = try await bench()
    let answer = try await run(
      "bash", bench,
      """
      source ./completions
      try() {
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _carillon 2>/dev/null
        printf '<%s>' "${COMPREPLY[@]}"; echo
      }
      try carillon done mor
      try carillon done mo
      try carillon hab
      complete -p carillon
      """)
    #expect(
      answer.output == """
        <Morning\\ run>
        <Mom\\'s\\ call><Morning\\ run>
        <habit>
        complete -F _carillon carillon

        """, "\(answer)")
  }

  @Test(
    "fish offers titles from the store",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/fish")))
  func fish() async throws {
    let bench = try await bench()
    let answer = try await run(
      "fish", bench, "source ./completions; complete -C 'carillon done Mor'")
    #expect(answer.output.contains("Morning run"), "\(answer)")
  }

  @Test(
    "The script for zsh is accepted by it and registers the function",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/zsh")))
  func zsh() async throws {
    let bench = try await bench()
    let answer = try await run(
      "zsh", bench,
      """
      autoload -U compinit; compinit -u -d ./dump
      source ./completions
      print -r -- $_comps[carillon]
      compadd() { print -r -- "$@"; }
      words=(carillon done mor); CURRENT=3; _carillon
      """)
    #expect(answer.output == "_carillon\n-U -- Morning run\n", "\(answer)")
  }
}
