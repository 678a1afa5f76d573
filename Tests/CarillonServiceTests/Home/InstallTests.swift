#if Service
import CarillonTestSupport
import Foundation
import Testing

/// What `tools/install` installs, and removes again.
@Suite(.enabled(if: Shell.has("python3"), "python3 is not installed")) struct InstallTests {
  private func install(
    _ arguments: String, in bench: ServiceBench, _ variables: [String: String] = [:]
  ) async throws -> EndedProgram {
    try await Shell.run(
      "'\(Repository.file("tools/install"))' \(arguments)", in: bench,
      variables.merging(["PROGRAMS": BuiltProgram.url("carillon").deletingLastPathComponent().path])
      { $1 })
  }

  @Test("Programs, man pages and completions are installed, replaced, and removed without a rest")
  func lifecycle() async throws {
    let bench = try await ServiceBench.make()
    try bench.write("mine", to: "other")
    let made = try await install(
      "--prefix /usr --programs \"$PROGRAMS\"", in: bench, ["DESTDIR": bench.path("made here")])
    #expect(made.status == 0, "\(made)")
    let listed = try await Shell.run("cd 'made here/usr' && find . -type f | sort", in: bench)
    for path in [
      "bin/carillon", "bin/carillon-serve", "share/man/man1/carillon.1",
      "share/man/man1/carillon-habit-add.1", "share/man/man1/carillon-serve.1",
      "share/bash-completion/completions/carillon", "share/zsh/site-functions/_carillon",
      "share/fish/vendor_completions.d/carillon.fish", "share/carillon/installed",
    ] {
      #expect(listed.output.contains("./\(path)\n"), "\(path) in \(listed)")
    }
    let works = try await Shell.run(
      """
      'made here/usr/bin/carillon' today >/dev/null
      'made here/usr/bin/carillon' serve --check-config | grep -q ^listen
      touch 'made here/usr/share/man/man1/carillon-old.1' 'made here/usr/share/man/man1/other.1'
      echo share/man/man1/carillon-old.1 >>'made here/usr/share/carillon/installed'
      """, in: bench)
    #expect(works.status == 0, "\(works)")

    let again = try await install(
      "--prefix 'made here/usr' --programs \"$PROGRAMS\"", in: bench)
    #expect(again.status == 0, "\(again)")
    let same = try await Shell.run("cd 'made here/usr' && find . -type f | sort", in: bench)
    #expect(
      same.output
        == listed.output.replacing(
          "./share/zsh", with: "./share/man/man1/other.1\n./share/zsh", maxReplacements: 1),
      "\(same)")

    let removed = try await install("--prefix 'made here/usr' --uninstall", in: bench)
    #expect(removed.status == 0, "\(removed)")
    let left = try await Shell.run("cd 'made here' && find . -type f", in: bench)
    #expect(left.output == "./usr/share/man/man1/other.1\n", "\(left)")
    let missing = try await install("--prefix 'made here/usr' --uninstall", in: bench)
    #expect(missing.status == 66, "\(missing)")
  }

  @Test("A prefix that is a file is refused before anything is built")
  func fileAsPrefix() async throws {
    let bench = try await ServiceBench.make()
    try bench.write("mine", to: "file")
    let refused = try await install("--prefix file", in: bench)
    #expect(refused.status == 73 && refused.errors.contains("cannot be created"), "\(refused)")
  }

  @Test("A list that names a file of others, or one outside the prefix, removes nothing")
  func foreignList() async throws {
    let bench = try await ServiceBench.make()
    try bench.write("mine", to: "carillon")
    for line in ["bin/../../carillon", "etc/passwd", "/etc/passwd"] {
      let prepared = try await Shell.run(
        "mkdir -p usr/share/carillon usr/bin && echo '\(line)' >usr/share/carillon/installed",
        in: bench)
      #expect(prepared.status == 0, "\(prepared)")
      let refused = try await install("--prefix usr --uninstall", in: bench)
      #expect(refused.status == 65, "\(refused)")
    }
    #expect(FileManager.default.fileExists(atPath: bench.path("carillon")))
  }

  @Test(
    "mandoc accepts each man page", .enabled(if: Shell.has("mandoc"), "mandoc is not installed"))
  func pages() async throws {
    let bench = try await ServiceBench.make()
    let checked = try await Shell.run(
      """
      mkdir pages
      '\(Repository.file("tools/man-pages"))' pages "$PROGRAMS/carillon"
      mandoc -T lint -W warning pages/*.1 2>&1
      ls pages | wc -l
      mandoc -T utf8 pages/carillon-habit-add.1 | col -b
      """, in: bench,
      ["PROGRAMS": BuiltProgram.url("carillon").deletingLastPathComponent().path])
    #expect(checked.status == 0, "\(checked)")
    #expect(checked.output.contains("--unless done,quota,entry"), "\(checked)")
  }

  @Test("Each verb that carillon-serve runs has a man page with the options of its help")
  func pagesOfService() async throws {
    let bench = try await ServiceBench.make()
    let checked = try await Shell.run(
      #"""
      mkdir pages
      "$TOOL" pages "$PROGRAMS/carillon"
      check() {
        echo "$*"
        carillon "$@" --help >help
        sed 's/\\//g' "pages/carillon-$(echo "$*" | tr ' ' -).1" >page
        for option in $(sed -n 's/^  [-h, ]*--\([a-z-]*\).*/\1/p' help); do
          grep -q "^\.It Fl -$option" page || echo "  lacks --$option"
        done
        for verb in $(sed -n '/^SUBCOMMANDS/,/^$/s/^  \([a-z-]*\) .*/\1/p' help); do
          check "$@" "$verb"
        done
      }
      check serve
      check hub
      """#, in: bench,
      [
        "PROGRAMS": BuiltProgram.url("carillon").deletingLastPathComponent().path,
        "TOOL": Repository.file("tools/man-pages"),
      ])
    #expect(checked.status == 0 && !checked.output.contains("lacks"), "\(checked)")
    for verb in ["serve", "hub people add", "hub invite", "hub migrate"] {
      #expect(checked.output.contains("\(verb)\n"), "\(checked)")
    }
  }

  @Test(
    "Shells complete the verbs and options that carillon-serve runs",
    arguments: [
      "bash": #"""
      try() {
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _carillon 2>/dev/null
        printf '%s ' "${COMPREPLY[@]}"; echo
      }
      """#,
      "zsh": """
      try() { words=("$@"); CURRENT=$#; _carillon; }
      compdef() {}
      compadd() { print -r -- "${@:3}" ""; }
      """,
      "fish": """
      function try; string join -- ' ' (complete -C "$argv") ''; end
      """,
    ])
  func completions(shell: String, functions: String) async throws {
    guard Shell.has(shell) else { return }
    let bench = try await ServiceBench.make()
    try bench.write(
      """
      \(functions)
      source ./completions
      try carillon hub in
      try carillon hub invite ID --e
      try carillon hub --group
      try carillon help hub people a
      try carillon serve --l
      """, to: "script")
    let tried = try await Shell.run(
      """
      carillon --generate-completion-script \(shell) >completions
      \(shell) \(shell == "zsh" ? "-f" : "") ./script
      """, in: bench)
    #expect(
      tried.output == "invite \n--expires \n--groups \nadd \n--listen --log-level \n", "\(tried)")
  }
}

/// The files of the repository.
enum Repository {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the absolute path of a file.
  static func file(_ path: String) -> String { root.appending(path: path).path }

  /// Returns the text of a file.
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: file(path), encoding: .utf8)
  }
}
#endif
