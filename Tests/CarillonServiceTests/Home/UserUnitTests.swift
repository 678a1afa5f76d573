#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The user unit that the program writes and removes.
@Suite struct UserUnitTests {
  private func unit(in bench: ServiceBench) -> String {
    bench.path("config/systemd/user/carillon.service")
  }

  private func run(_ arguments: String..., in bench: ServiceBench) async throws -> EndedProgram {
    try await StartedProgram(
      BuiltProgram.url("carillon"), ["serve"] + arguments, in: bench,
      environment: [
        "XDG_CONFIG_HOME": bench.path("config"), "CARILLON_MAX_STREAMS": "9",
        "HOME": bench.directory.path,
      ]
    ).end()
  }

  @Test("The unit has the settings of flags and the environment, and the next commands are printed")
  func install() async throws {
    let bench = try await ServiceBench.make()
    let config = try bench.write(#"{"max-connections":8}"#, to: "settings.json")
    let made = try await run(
      "--listen", "127.0.0.1:1", "--config", config, "--install", in: bench)
    #expect(made.status == 0 && made.errors.isEmpty, "\(made)")
    #expect(made.output.hasPrefix("Wrote \(unit(in: bench))\n"), "\(made)")
    #expect(made.output.contains("\n  systemctl --user enable --now carillon.service\n"), "\(made)")
    let text = try String(contentsOfFile: unit(in: bench), encoding: .utf8)
    let start = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("ExecStart=") }, "\(text)")
    let program = BuiltProgram.url("carillon-serve").resolvingSymlinksInPath().path
    #expect(start.hasPrefix("ExecStart=\"\(program)\" "))
    for word in [
      "--quiet", "--store=\(bench.path("phone"))", "--config=\(config)", "--listen=127.0.0.1:1",
      "--max-streams=9",
    ] {
      #expect(start.contains(" \"\(word)\""), "\(word) in \(start)")
    }
    // What the file sets, and what is a default, is not fixed.
    #expect(!start.contains("max-connections") && !start.contains("max-body"), "\(start)")
    #expect(text.contains("\nReadWritePaths=\"\(bench.path("phone"))\"\n"), "\(text)")

    let again = try await run("--install", "--json", in: bench)
    #expect(again.output.hasPrefix("{\"replaced\":\""), "\(again)")
    #expect(again.output.contains("systemctl --user restart carillon.service"), "\(again)")
    #expect(!again.output.contains("--now"), "\(again)")
    #expect(try String(contentsOfFile: unit(in: bench), encoding: .utf8) != text)
  }

  @Test("An installed service does not print the token; the command for it prints the address")
  func address() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("it's here"), withDestinationPath: bench.path("phone"))
    let made = try await run(
      "--listen", "127.0.0.1:\(service.port)", "--store", bench.path("it's here"), "--install",
      in: bench)
    let command = try #require(
      made.output.firstMatch(of: /To see the address of the page:\n  (.*)\n/), "\(made)")
    let printed = try await Shell.run(String(command.output.1), in: bench)
    let page = "http://127.0.0.1:\(service.port)/#token=\(service.token)\n"
    #expect(printed.output == page, "\(printed)")
    let anyPort = try await run("--listen", "127.0.0.1:0", "--install", in: bench)
    #expect(anyPort.status == 0 && !anyPort.output.contains("address of the page"), "\(anyPort)")
  }

  @Test("A shell starts a program with a quote in its path, which systemd refuses to start itself")
  func quote() async throws {
    let bench = try await ServiceBench.make()
    let program = bench.path("it's here/carillon-serve")
    try FileManager.default.createDirectory(
      atPath: bench.path("it's here"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      atPath: BuiltProgram.url("carillon-serve").path, toPath: program)
    let made = try await StartedProgram(
      URL(filePath: program), ["--install"], in: bench,
      environment: ["XDG_CONFIG_HOME": bench.path("config"), "HOME": bench.directory.path]
    ).end()
    #expect(made.status == 0, "\(made)")
    let text = try String(contentsOfFile: unit(in: bench), encoding: .utf8)
    let shell = #"ExecStart="/bin/sh" "-c" "exec \"$$0\" \"$$@\"" "#
    #expect(text.contains("\(shell)\"\(program)\" \"--quiet\" \"--store="), "\(text)")
  }

  @Test("A removed unit is no longer enabled, and a missing one is an error")
  func uninstall() async throws {
    let bench = try await ServiceBench.make()
    let missing = try await run("--uninstall", in: bench)
    #expect(missing.status == 66 && missing.errors.contains("there is no unit"), "\(missing)")
    _ = try await run("--install", in: bench)
    let enabled = try await Shell.run(
      """
      cd config/systemd/user
      mkdir default.target.wants
      ln -s ../carillon.service default.target.wants/carillon.service
      """, in: bench)
    #expect(enabled.status == 0, "\(enabled)")
    let removed = try await run("--uninstall", in: bench)
    #expect(removed.status == 0 && removed.output.hasPrefix("Removed "), "\(removed)")
    let left = try await Shell.run("find config -not -type d", in: bench)
    #expect(left.output.isEmpty, "\(left)")
  }

  @Test("Only one of the flags that end the program at once is accepted")
  func oneAct() async throws {
    let bench = try await ServiceBench.make()
    for (first, second) in [("--install", "--uninstall"), ("--check-config", "--install")] {
      let ended = try await run(second, first, in: bench)
      #expect(ended.status == 64 && ended.output.isEmpty, "\(ended)")
      #expect(ended.errors.contains("\(first) and \(second) cannot be used together"), "\(ended)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path("config")))
  }

  @Test("Nothing is written for settings with which the service could not start")
  func refusals() async throws {
    let bench = try await ServiceBench.make()
    let relative = try bench.write(
      #"{"listen":"0.0.0.0:1","tls-certificate":"a.pem","tls-key":"/b.pem"}"#, to: "relative.json")
    try await bench.run("init", "--store", bench.path("a\nb"), "--replica", "home")
    let cases: [([String], Int32, String)] = [
      (["--store", bench.path("nowhere")], 66, "nowhere"),
      (["--tls-certificate", "/no.pem", "--tls-key", "/no.key"], 66, "/no.pem"),
      (["--config", relative], 66, "a.pem"),
      (["--listen", "127.0.0.1:x"], 64, "127.0.0.1:x"),
      (["--store", bench.path("a\nb")], 64, "control character"),
    ]
    for (arguments, status, text) in cases {
      let ended = try await StartedProgram(
        BuiltProgram.url("carillon-serve"), arguments + ["--install"], in: bench,
        environment: ["XDG_CONFIG_HOME": bench.path("config")]
      ).end()
      #expect(ended.status == status && ended.errors.contains(text), "\(arguments) \(ended)")
      guard ["--store", "--tls-certificate"].contains(arguments[0]), status == 66 else { continue }
      let checked = try await bench.failing(arguments + ["--check-config"])
      #expect(checked.status == status && checked.errors == ended.errors, "\(checked)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path("config")))
  }

  @Test(
    "systemd accepts the unit of a store with any name",
    .enabled(if: Shell.has("systemd-analyze"), "systemd-analyze is not installed"),
    arguments: ["plain", "it's 100% \"so\" $HOME é \\", "\\n%h", " a  b "])
  func verified(name: String) async throws {
    let bench = try await ServiceBench.make()
    let store = bench.path(name)
    try await bench.run("init", "--store", store, "--replica", "home")
    let made = try await run("--store", store, "--install", in: bench)
    #expect(made.status == 0, "\(made)")
    let verified = try await Shell.run(
      "systemd-analyze verify --user \"$UNIT\" 2>&1", in: bench,
      ["UNIT": unit(in: bench), "XDG_RUNTIME_DIR": bench.directory.path])
    #expect(verified.status == 0 && verified.output.isEmpty, "\(verified)")
    let escaped = store.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%")
    let text = try String(contentsOfFile: unit(in: bench), encoding: .utf8)
    #expect(text.contains("\nReadWritePaths=\"\(escaped)\"\n"), "\(text)")
    #expect(text.contains(" \"--store=\(escaped.replacing("$", with: "$$"))\""), "\(text)")
  }
}
#endif
