#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The program: its start, its settings, and its end.
@Suite struct ServeProgramTests {
  @Test("The ready line names the store, the port and the token, and the service answers then")
  func ready() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    #expect(service.line.hasPrefix("Serving \(bench.path("phone")) at http://127.0.0.1:"))
    let answer = try await service.ask("GET", "/livez", [])
    #expect(answer.status == 200 && answer.body == "{\"live\":true}\n", "\(answer)")
    let ended = try await service.stop()
    #expect(ended.status == 0 && !ended.wasSignalled && ended.errors.isEmpty, "\(ended)")
  }

  @Test("The verb of the command line starts the program with the same arguments")
  func verb() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve(
      program: "carillon", verb: ["--store", bench.path("phone"), "serve"],
      environment: ["CARILLON_STORE": "/nowhere"])
    #expect(try await service.ask("GET", "/livez", []).status == 200)
    #expect(try await service.stop(SIGINT).status == 0)
  }

  @Test("At SIGTERM, streams end and requests are finished; a second one ends the process")
  func signals() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let stream = try await service.stream("/v1/events")
    #expect(await stream.next()?.id == "1")
    let request = try service.connect()
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    request.send(
      service.text(
        "POST", "/v1/events",
        [service.bearer, "Expect: 100-continue", "Content-Length: \(line.utf8.count)"]
      ).replacing("Content-Length: 0\r\n", with: ""))
    // Now the service has read the head, and waits for the body.
    #expect(await request.head()?.status == 100)
    service.program.signal(SIGTERM)
    #expect(await stream.next() == nil)
    request.send(line)
    #expect(await request.answer()?.status == 201)
    #expect(try await service.program.end().status == 0)

    let other = try await bench.serve()
    let unfinished = try other.connect()
    unfinished.send(
      "POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(other.port)\r\n"
        + "\(other.bearer)\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n12")
    #expect(await unfinished.head()?.status == 100)
    other.program.signal(SIGTERM)
    try await Task.sleep(for: .milliseconds(100))
    let ended = try await other.stop()
    #expect(ended.wasSignalled && ended.status == SIGTERM, "\(ended)")
  }

  @Test("Several processes serve one store, with one token, and each shows what the others write")
  func severalProcesses() async throws {
    let bench = try await ServiceBench.make()
    let first = try await bench.serve()
    let second = try await bench.serve()
    #expect(first.token == second.token && first.port != second.port)
    let stream = try await second.stream("/v1/events?after=1")
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    #expect(try await first.ask("POST", "/v1/events", body: line).status == 201)
    let event = try #require(await stream.next())
    #expect(event.id == "2" && event.data.contains("app.active"), "\(event)")
    try await bench.run("habit", "add", "Walk")
    #expect(await stream.next()?.id == "3")
  }

  @Test("A failure to start names what is wrong and the next step, with the documented exit code")
  func failures() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let config = try bench.write(#"{"max-streams":"many"}"#, to: "words.json")
    let unknown = try bench.write(#"{"listn":"127.0.0.1:1"}"#, to: "unknown.json")
    let malformed = try bench.write("{", to: "malformed.json")
    let cases: [([String], Int32, String)] = [
      (["--listen", "127.0.0.1:\(service.port)"], 75, "Address already in use"),
      (["--store", bench.path("nowhere")], 66, "nowhere"),
      (["--listen", "8787"], 64, "--listen: \"8787\" is not a host and a port"),
      (["--listen", "0.0.0.0:0"], 64, "requires TLS"),
      (["--listen", "192.0.2.1:0", "--tls-certificate", config, "--tls-key", config], 65, config),
      (["--tls-key", config], 64, "the certificate for TLS is missing"),
      (["--tls-certificate", "/no.pem", "--tls-key", config], 66, "/no.pem"),
      (["--tls-certificate", config, "--tls-key", config], 65, "\(config) has no certificate"),
      (["--listen", "nowhere.invalid:0", "--tls-certificate", config], 64, "private key"),
      (["--names", "a/b"], 64, "--names: \"a/b\" is neither"),
      (["--names", "home.example,home.example:8787"], 64, "\"home.example:8787\" is neither"),
      (["--names", "*"], 64, "\"*\" is neither"), (["--names", "a b"], 64, "\"a b\" is neither"),
      (["--public-address", "http://habits.example"], 64, "is not https:// and a host"),
      (["--listen", "127.0.0.1:+1"], 64, "is not a host and a port"),
      (["--zone", "Mars/Base"], 64, "Mars/Base"),
      (["--log-level", "loud"], 64, "loud"),
      (["--max-streams", "0"], 64, "1 to 100000"),
      (["--config", config], 64, "max-streams must be a whole number"),
      (["--config", unknown], 65, "there is no setting \"listn\""),
      (["--config", malformed], 65, malformed),
      (["--config", bench.path("none.json")], 66, "none.json"),
      (["--nonsense"], 64, "nonsense"),
    ]
    for (arguments, status, text) in cases {
      let ended = try await StartedProgram(
        service: arguments, in: bench
      ).end()
      #expect(ended.status == status && ended.errors.contains(text), "\(arguments) \(ended)")
      #expect(ended.output.isEmpty, "\(arguments)")
    }
  }

  @Test("A setting of another type is refused with its name: no type is taken for another")
  func types() async throws {
    let bench = try await ServiceBench.make()
    for (text, status, said) in [
      (#"{"max-streams":true}"#, 64, "max-streams must be a whole number"),
      (#"{"max-streams":"9"}"#, 64, "max-streams must be a whole number"),
      (#"{"max-streams":9.0}"#, 65, "max-streams must not be a number"),
      (#"{"discover":1}"#, 64, "discover must be yes or no"),
      (#"{"listen":8787}"#, 64, "listen must be a text"),
      (#"{"zone":true}"#, 64, "zone must be a text"),
      (#"{"names":["a.example"]}"#, 65, "names must not be a list"),
      (#"{"zone":null}"#, 65, "zone must not be null"),
    ] {
      let config = try bench.write(text, to: "settings.json")
      let ended = try await bench.failing("--check-config", "--config", config)
      #expect(ended.status == status && ended.errors.contains(said), "\(text) \(ended)")
      #expect(ended.errors.contains("settings.json"), "\(text) \(ended)")
    }
    for (name, value) in [("DISCOVER", "1"), ("MAX_STREAMS", "true"), ("MAX_STREAMS", "0x10")] {
      let ended = try await bench.failing(
        "--check-config", environment: ["CARILLON_\(name)": value])
      #expect(ended.status == 64 && ended.errors.contains("CARILLON_\(name)"), "\(name) \(ended)")
    }
  }

  @Test("A flag overrides the environment, which overrides the file, and a check lists the sources")
  func settings() async throws {
    let bench = try await ServiceBench.make()
    let file = try bench.write(
      #"{"listen":"127.0.0.1:1","max-streams":7,"max-connections":8,"log-level":"info"}"#,
      to: "settings.json")
    let ended = try await bench.failing(
      "--config", file, "--listen", "127.0.0.1:3", "--check-config",
      environment: ["CARILLON_LISTEN": "127.0.0.1:2", "CARILLON_MAX_STREAMS": "9"])
    #expect(ended.status == 0, "\(ended)")
    let lines = ended.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    for line in [
      "listen 127.0.0.1:3 (--listen)", "max-streams 9 (CARILLON_MAX_STREAMS)",
      "max-connections 8 (\(file))", "log-level info (\(file))", "max-body 16777216 (default)",
      "store \(bench.path("phone")) (CARILLON_STORE)",
    ] {
      #expect(lines.contains(line), "\(line) in \(lines)")
    }
  }

  @Test("The log has one JSON object a line, with the route of each request and not its path")
  func log() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--log-level", "info")
    _ = try await service.ask("GET", "/v1/events?after=0")
    _ = try await service.ask("GET", "/secret-title")
    let ended = try await service.stop()
    let lines = try ended.errors.split(separator: "\n").map {
      try #require(
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
    let request = try #require(lines.first { $0["route"] as? String == "/v1/events" })
    #expect(request["status"] as? String == "200" && request["request"] is String, "\(request)")
    #expect(!ended.errors.contains("secret-title") && !ended.errors.contains(service.token))
  }
}

extension StartedProgram {
  /// Starts the program with exactly these arguments.
  convenience init(service arguments: [String], in bench: ServiceBench) async throws {
    let listen = arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    try await self.init(BuiltProgram.url("carillon-serve"), listen + arguments, in: bench)
  }
}
#endif
