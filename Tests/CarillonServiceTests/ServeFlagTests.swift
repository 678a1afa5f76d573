#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The flags that all commands take, on `carillon serve`.
@Suite struct ServeFlagTests {
  /// Serves until the manager hears that the service is ready, and stops it.
  private func serve(_ arguments: String..., in bench: ServiceBench) async throws -> EndedProgram {
    let manager = try DatagramReader(bench.path("notify"))
    let program = try await StartedProgram(
      BuiltProgram.url("carillon"), arguments + ["serve", "--listen", "127.0.0.1:0"], in: bench,
      environment: ["NOTIFY_SOCKET": bench.path("notify")])
    #expect(await manager.next() == "READY=1", "\(program.errors)")
    program.signal(SIGTERM)
    return try await program.end()
  }

  @Test("With --quiet, a service prints nothing")
  func quiet() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await serve("--quiet", in: bench)
    #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended)")
  }

  @Test("With --json, a service prints one document with its address")
  func json() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await serve("--json", in: bench)
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: String])
    #expect(answer["store"] == bench.path("phone"))
    let address = try #require(answer["address"])
    #expect(answer["page"]?.hasPrefix("\(address)#token=") == true, "\(ended)")
  }

  @Test("Checked settings are texts, numbers and booleans in JSON, with their sources")
  func checkedConfig() async throws {
    let bench = try await ServiceBench.make()
    let config = try bench.write(#"{"discover":false,"max-streams":9}"#, to: "settings.json")
    let checked = try await bench.failing("--check-config", "--json", "--config", config)
    for text in [
      #"{"name":"discover","value":false,"source":"\#(config)"}"#,
      #"{"name":"max-streams","value":9,"source":"\#(config)"}"#,
      #"{"name":"max-body","value":16777216,"source":"default"}"#,
      #"{"name":"listen","value":"127.0.0.1:8787","source":"default"}"#,
    ] {
      #expect(checked.status == 0 && checked.output.contains(text), "\(text) in \(checked)")
    }
  }

  @Test("If the system allows too few open files, the service ends with the limit")
  func fewFiles() async throws {
    let bench = try await ServiceBench.make()
    for limit in [4, 12, 48] {
      let ended = try await Shell.run(
        "ulimit -n \(limit); exec carillon-serve --listen 127.0.0.1:0", in: bench)
      #expect(ended.status == 74 && ended.output.isEmpty, "\(ended)")
      #expect(ended.errors.contains("the limit on open files is \(limit); at least"), "\(ended)")
    }
  }

  @Test(
    "A service goes on without its standard streams",
    arguments: [">/dev/full 2>/dev/full", ">&- 2>&- <&-"])
  func lostStreams(_ streams: String) async throws {
    let bench = try await ServiceBench.make()
    let manager = try DatagramReader(bench.path("notify"))
    let serve = BuiltProgram.url("carillon-serve").path
    let program = try await StartedProgram(
      URL(filePath: "/bin/sh"),
      ["-c", "exec '\(serve)' --listen 127.0.0.1:0 --log-level trace \(streams)"], in: bench,
      environment: ["NOTIFY_SOCKET": bench.path("notify")])
    #expect(await manager.next() == "READY=1")
    program.signal(SIGTERM)
    let ended = try await program.end()
    #expect(ended.status == 0 && !ended.wasSignalled, "\(ended)")
  }

  @Test("An answer that cannot be written is an error, and one without a reader a quiet end")
  func lostAnswer() async throws {
    let bench = try await ServiceBench.make()
    let full = try await Shell.run("carillon-serve --check-config >/dev/full || echo $?", in: bench)
    #expect(full.output == "74\n", "\(full)")
    #expect(full.errors.contains("standard output cannot be written"), "\(full)")
    let unsaid = try await Shell.run("carillon-serve --nonsense 2>/dev/full || echo $?", in: bench)
    #expect(unsaid.output == "64\n", "\(unsaid)")
    let link = try await Shell.run(
      "carillon-link join </dev/null 2>/dev/full || test $? -lt 128", in: bench)
    #expect(link.status == 0, "\(link)")
    // The loop ends when the reader has gone.
    let unread = try await Shell.run(
      """
      trap '' PIPE
      { while echo; do :; done 2>gone; carillon-serve --check-config || echo $? >&2; } | true
      """, in: bench)
    #expect(unread.errors == "141\n", "\(unread)")
  }

  @Test(
    "A sealed store without its keys is not served, and the hint brings them back to this store")
  func missingKeys() async throws {
    let bench = try await ServiceBench.make(isSealed: true)
    let (phone, copy) = (bench.path("phone"), bench.path("copy"))
    let cloned = try await bench.run("clone", phone, copy, "--replica", "x", "--without-keys")
    try #require(cloned.status == 0, "\(cloned)")
    let config = try bench.write("{\"store\":\"\(copy)\"}", to: "store.json")
    for (flags, store, command) in [
      (["--check-config", "--store", copy], phone, "carillon --store \(copy) recover"),
      (["--store", copy], phone, "carillon --store \(copy) recover"),
      (["--config", config], "", "carillon --store \(copy) recover"),
      ([], copy, "carillon recover"),
    ] {
      let refused = try await bench.failing(flags, environment: ["CARILLON_STORE": store])
      #expect(refused.status == 77 && refused.errors.contains(command), "\(refused)")
    }
  }

  @Test("An argument that is not UTF-8 is refused")
  func foreignText() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await Shell.run(
      #"carillon-serve hub people add --database "$(printf 'bad\377')" || echo $?"#, in: bench)
    #expect(ended.output == "64\n" && ended.errors.contains("is not UTF-8"), "\(ended)")
  }

  @Test("A TZ that names no zone is refused, unless a zone is given")
  func unknownZone() async throws {
    let bench = try await ServiceBench.make()
    let environment = ["TZ": "CET-1CEST"]
    let refused = try await bench.failing("--check-config", environment: environment)
    #expect(refused.status == 64 && refused.errors.contains(#"TZ is "CET-1CEST""#), "\(refused)")
    let given = try await bench.failing(
      "--check-config", "--zone", "Europe/Berlin", environment: environment)
    #expect(given.status == 0, "\(given)")
  }

  @Test("The version is that of the command line, which is released with it")
  func version() async throws {
    let bench = try await ServiceBench.make()
    let carillon = try await bench.run("--version")
    #expect(carillon.status == 0 && !carillon.output.isEmpty, "\(carillon)")
    for program in ["carillon-serve", "carillon serve"] {
      let ended = try await Shell.run("\(program) --version", in: bench)
      #expect(ended.status == 0 && ended.output == carillon.output, "\(ended)")
    }
  }

  @Test("A service without a store ends with the exit code of other commands")
  func noStore() async throws {
    let bench = try await ServiceBench.make()
    let environment = ["CARILLON_STORE": "", "HOME": bench.path("home")]
    let serve = try await bench.failing("--check-config", environment: environment)
    #expect(serve.status == 66 && serve.errors.contains("carillon init"), "\(serve)")
    let status = try await StartedProgram(
      BuiltProgram.url("carillon"), ["status"], in: bench, environment: environment
    ).end()
    #expect(serve.status == status.status && serve.errors == status.errors, "\(status)")
  }

  @Test(
    "On a read-only disk, a service names the directory that it cannot create, and what to do",
    .enabled(if: Shell.has("unshare"), "unshare is not installed"))
  func readOnly() async throws {
    let bench = try await ServiceBench.make()
    let script = #"""
      mkdir disk
      mount -t tmpfs none disk || exit 99
      carillon init --store disk/phone --replica phone >&2
      mount -o remount,ro disk
      for flag in --quiet --check-config; do
        carillon-serve --store disk/phone --listen 127.0.0.1:0 $flag >out || echo $?
      done
      """#
    let file = try bench.write(script, to: "script")
    let ended = try await Shell.run(
      #"exec unshare -m /bin/sh -eu "$file""#, in: bench, ["file": file])
    guard ended.status != 99 else { return }
    #expect(ended.output == "77\n77\n", "\(ended)")
    let said = ended.errors.matches(
      of: /error: cannot create \S*\/?disk\/phone\/service: Read-only file system\nhint: a service/)
    #expect(said.count == 2, "\(ended)")
  }

  @Test(
    "A file of settings or of TLS that may not be read is reported as denied",
    .enabled(if: Shell.has("setpriv")))
  func unreadable() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await Shell.run(
      """
      echo {} >closed && chmod 0200 closed
      allowed=
      [ "$(id -u)" != 0 ] || allowed="setpriv --bounding-set=-dac_override,-dac_read_search"
      for flags in "--config closed" "--tls-certificate closed --tls-key closed"; do
        $allowed carillon-serve --store "$STORE" --listen 127.0.0.1:0 $flags || echo $?
      done
      """, in: bench, ["STORE": bench.path("phone")])
    #expect(ended.output == "77\n77\n", "\(ended)")
    let said = ended.errors.matches(of: /error: closed cannot be read: Permission denied\nhint/)
    #expect(said.count == 2, "\(ended)")
  }

  @Test(
    "An argument in the wrong place is refused without its password",
    arguments: [
      ["hub", "people"], ["hub", "people", "list", "x"], ["hub"], ["hub", "quota"], ["sync"],
    ])
  func strays(verb: [String]) async throws {
    let bench = try await ServiceBench.make()
    let refused = try await bench.run(verb[0], verb.dropFirst() + ["postgres://u:secret@h/db"])
    #expect(refused.status == 64 && !refused.errors.contains("secret"), "\(refused)")
  }

  @Test("A wrong flag is an error of the same form as that of other commands")
  func errors() async throws {
    let bench = try await ServiceBench.make()
    let cases: [([String], String)] = [
      (["--now", "2026-11-23"], "--now: a service uses the system's clock"),
      (["--nonsense"], "nonsense"),
      (["--listen"], "--listen"),
      (["words"], "words"),
      (["--max-requests", "-5"], "a whole number from 1 to 1000000 is required"),
    ]
    for (arguments, text) in cases {
      let ended = try await StartedProgram(
        BuiltProgram.url("carillon"), ["serve"] + arguments, in: bench
      ).end()
      #expect(ended.status == 64 && ended.output.isEmpty, "\(ended)")
      let lines = ended.errors.split(separator: "\n")
      #expect(lines.count == 2, "\(ended)")
      #expect(lines[0].hasPrefix("error: ") && lines[0].contains(text), "\(ended)")
      #expect(lines[1].hasPrefix("hint: "), "\(ended)")
    }
    let range = try await bench.failing("--max-requests", "0")
    #expect(range.errors.hasSuffix("hint: see carillon serve --help\n"), "\(range)")
    let json = try await bench.failing("--json", "--nonsense")
    #expect(json.errors.hasPrefix(#"{"error":{"code":"usage","message":""#), "\(json)")
  }
}
#endif
