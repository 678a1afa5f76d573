#if Service
import Carillon
import CarillonTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Devices that ask for what is not theirs, and clients that send too much.
@Suite struct HubRefusalTests {
  /// Sends messages to a hub with the token of a device, and keeps them.
  private final class Recording: SyncExchange {
    let messages = Mutex<[[UInt8]]>([])
    private let request: URLRequest

    init(_ hub: RunningHub, as credential: String) throws {
      var request = URLRequest(url: try #require(URL(string: hub.address + "v1/sync")))
      request.httpMethod = "POST"
      request.setValue("Bearer \(credential)", forHTTPHeaderField: "Authorization")
      self.request = request
    }

    func answer(to message: [UInt8]) async throws -> [UInt8] {
      messages.withLock { $0.append(message) }
      var request = request
      request.httpBody = Data(message)
      return Array(try await URLSession.shared.data(for: request).0)
    }
  }

  @Test("A device's token reaches only the log of its person, whatever the messages name")
  func otherPeople() async throws {
    let hub = try await HubBench.make(.files)
    let process = try await hub.serve()
    let (ann, ben) = (try await hub.addPerson(), try await hub.addPerson())
    try await hub.join(ann, as: "ann", at: process)
    try await hub.join(ben, as: "ben", at: process)
    try await hub.bench.add("Walk of ann", to: "ann")
    try await hub.sync("ann")
    try await hub.bench.add("Tea of ben", to: "ben")
    let bens = try Recording(process, as: try hub.credential(of: "ben", at: process))
    let anns = try Recording(process, as: try hub.credential(of: "ann", at: process))
    let store = try await Store.open(at: URL(filePath: hub.bench.path("ben")))
    let stolen = await #expect(throws: StoreError.self) { try await store.sync(through: anns) }
    #expect(stolen?.code == .otherStore, "\(String(describing: stolen))")
    try await store.sync(through: bens)
    await store.close()
    let before = try await hub.hub("people", "list", "--json").output
    for message in bens.messages.withLock({ $0 }) {
      let answer = try await anns.answer(to: message)
      #expect(String(decoding: answer, as: UTF8.self).contains("another store"))
    }
    #expect(try await hub.hub("people", "list", "--json").output == before)
    #expect(try await hub.titles("ben") == ["Tea of ben"])
  }

  @Test("A device over the quota learns so without a path, and the health has the disk")
  func quota() async throws {
    let (hub, process, person) = try await HubBench.joined(.files)
    _ = try await hub.hub("quota", person, "--bytes", "1")
    let store = try await Store.open(at: URL(filePath: hub.bench.path("one")))
    _ = try await store.add(Habit("Walk"))
    await store.close()
    let refused = try await hub.bench.link("sync", "--store", hub.bench.path("one"))
    #expect(refused.status == 74, "\(refused)")
    #expect(refused.errors.contains("quota of bytes, which is 1; the log uses "), "\(refused)")
    #expect(!refused.errors.contains("sqlite"), "\(refused)")
    let health = try await process.ask("GET", "/readyz")
    #expect(health.status == 200, "\(health)")
    #expect(health.body.contains(#"{"name":"disk","ok":true,"problem":null"#), "\(health)")
  }

  @Test("A device that joins over the quota has what the hub has, and sends its own events later")
  func joinOverQuota() async throws {
    let (hub, process, person) = try await HubBench.joined(.files)
    try await hub.bench.add("Tea", to: "one")
    try await hub.sync("one")
    let link = try await hub.invite(person, to: process)
    func join() async throws -> EndedProgram {
      try await hub.bench.link("join", link, hub.bench.path("two"), "--replica", "two")
    }
    _ = try await hub.hub("quota", person, "--bytes", "1")
    let joined = try await join()
    #expect(joined.status == 0 && joined.output.hasPrefix("Created replica two "), "\(joined)")
    #expect(joined.errors.contains("events, which wait for the next sync: the new "), "\(joined)")
    #expect(joined.errors.contains("the operator of the hub for a larger quota"), "\(joined)")
    #expect(try await hub.titles("two") == ["Tea"])
    try await hub.bench.add("Run", to: "two")
    let again = try await join()
    #expect(again.status == 74 && again.errors.contains("a larger quota"), "\(again)")
    _ = try await hub.hub("quota", person, "--bytes", "1000000")
    let larger = try await join()
    #expect(larger.status == 0, "\(larger)")
    try await hub.sync("one")
    #expect(try await hub.titles("one") == ["Tea", "Run"])
  }

  @Test("An invitation past 32 open ones is refused with the limit, until one is revoked")
  func invitations() async throws {
    let (hub, process, _) = try await HubBench.joined(.files)
    let credential = try hub.credential(of: "one", at: process)
    func invite(_ keys: String? = nil) async throws -> WireAnswer {
      let keys = keys.map { ",\"keys\":\"\($0)\"" } ?? ""
      return try await process.ask(
        "POST", "/v1/invitations", as: credential, body: #"{"role":"watch""# + keys + "}")
    }
    for (keys, text) in [
      ("@@@", "not base64"), (String(repeating: "A", count: 12_356), "more than 12352 bytes"),
    ] {
      let refused = try await invite(keys)
      #expect(refused.status == 422 && refused.body.contains(text), "\(refused)")
    }
    for _ in 0..<32 {
      let answer = try await invite(String(repeating: "A", count: 12_352))
      #expect(answer.status == 201, "\(answer)")
    }
    let refused = try await invite()
    #expect(refused.status == 507 && refused.body.contains("at most 32 are allowed"), "\(refused)")
    #expect(refused.body.contains("wait until one expires, or revoke one"), "\(refused)")
    let list = try await process.ask("GET", "/v1/access", as: credential).body
    let id = try #require(
      list.firstMatch(of: /"id":"(\w+)","kind":"invitation"/), "\(list)"
    ).output.1
    #expect(try await process.ask("DELETE", "/v1/access/\(id)", as: credential).status == 200)
    #expect(try await invite().status == 201)
    #expect(try await invite().status == 507)
  }

  @Test("A number out of range is refused with the range, also a negative one")
  func numbers() async throws {
    let hub = try await HubBench.make(.files)
    let person = try await hub.addPerson()
    let range = "a whole number from 0 to 9223372036854775807 is required"
    for (flag, value) in [
      ("--bytes", "-5"), ("--bytes", "9223372036854775808"), ("--devices", "-1"),
      ("--devices", "two"),
    ] {
      let refused = try await hub.hub("quota", person, flag, value)
      #expect(refused.status == 64, "\(refused)")
      #expect(refused.errors.contains("error: \(flag) is \"\(value)\"; \(range)\n"), "\(refused)")
    }
    for number in ["-5", "0", "100001"] {
      let count = try await hub.hub("people", "add", "--count", number)
      #expect(count.status == 64 && count.errors.contains("from 1 to 100000 is"), "\(count)")
    }
    let waiting = try await hub.hub("serve", "--max-waiting", "0")
    #expect(waiting.errors.hasPrefix("error: --max-waiting is \"0\"; a whole"), "\(waiting)")
    #expect(waiting.errors.hasSuffix("hint: see carillon hub serve --help\n"), "\(waiting)")
    let roleless = try await hub.hub("invite", person)
    #expect(roleless.errors.hasSuffix("see carillon hub invite --help\n"), "\(roleless)")
    for expires in ["-5", "5", "8d", "0s"] {
      let link = try await hub.hub("invite", person, "--role", "phone", "--expires", expires)
      let said = link.errors.contains("--expires: ") && link.errors.contains("1s to 7d")
      #expect(link.status == 64 && said, "\(link)")
    }
    let limits = try await hub.hub("quota", person, "--bytes", "5", "--devices", "2")
    #expect(limits.output.contains("of 5 bytes  0 of 2 devices\n"), "\(limits)")
    let unit = try await hub.hub("quota", person, "--bytes", "1GB")
    #expect(unit.status == 64 && unit.errors.contains("hint: give plain bytes, such"), "\(unit)")
    let name = try await hub.hub("people", "add", "--id", "foo")
    #expect(name.status == 64 && name.errors.contains("store: carillon status\n"), "\(name)")
  }

  @Test("A quota that a person exceeds already says what happens")
  func exceeded() async throws {
    let (hub, process, person) = try await HubBench.joined(.files)
    try await hub.bench.add("Walk", to: "one")
    try await hub.sync("one")
    let words = ["quota", person, "--bytes", "20", "--devices", "0"]
    let quota = try await hub.hub(words)
    #expect(quota.output.contains("\nThe person uses more bytes than that: new "), "\(quota)")
    #expect(quota.output.contains("\nThe person has more devices than that: "), "\(quota)")
    let quiet = try await hub.hub(words + ["--quiet"])
    #expect(quiet.output.split(separator: "\n").count == 1, "\(quiet)")
    withExtendedLifetime(process) {}
  }

  @Test("A hub without people says so, and names the command that adds one, which works")
  func noPeople() async throws {
    let hub = try await HubBench.make(.files)
    let first = try await hub.serve()
    let command = "carillon hub people add --database \(hub.database)"
    try await first.program.prints(
      "\nThe hub is new, and has no people yet. To add the first one: \(command)\n")
    try await first.stop()
    let second = try await hub.serve()
    try await second.program.prints("\nThe hub has no people yet. ")
    try await second.stop()
    let list = try await hub.hub("people", "list")
    #expect(list.status == 0 && list.output.isEmpty, "\(list)")
    #expect(list.errors == "There are no people yet. To add the first one: \(command)\n")
    #expect(try await hub.hub("people", "list", "--json").errors.isEmpty)
    let added = try await Shell.run(command, in: hub.bench)
    #expect(added.status == 0, "\(added)")
    #expect(try await hub.hub("people", "list").errors.isEmpty)
    let third = try await hub.serve()
    #expect(try await !third.stop().output.contains("no people"))
  }

  @Test("A link is not made for an address that the hub itself would refuse")
  func openAddress() async throws {
    let hub = try await HubBench.make(.files)
    let person = try await hub.addPerson()
    let refused = try await hub.hub(
      "invite", person, "--role", "phone", "--listen", "0.0.0.0:8787")
    #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
    #expect(refused.errors.contains("0.0.0.0 may be reached by other computers"), "\(refused)")
  }

  @Test("Only a hub that exists is administered, and a directory of something else is no hub")
  func places() async throws {
    let hub = try await HubBench.make(.files)
    let missing = try await hub.hub("people", "list")
    #expect(missing.status == 66 && missing.errors.contains("there is no hub at"), "\(missing)")
    #expect(!FileManager.default.fileExists(atPath: hub.database))
    let file = try hub.bench.write("x", to: "home.pem")
    for (place, said) in [(hub.bench.path("phone"), "has other files"), (file, "is a file")] {
      let refused = try await hub.bench.failing("hub", "people", "add", "--database", place)
      #expect(refused.status == 73 && refused.errors.contains(said), "\(refused)")
    }
    let added = try await hub.hub("people", "add")
    let words = " --role phone --database \(hub.database) --public-address "
    #expect(added.status == 0 && added.output.contains(words), "\(added)")
    #expect(added.output.contains(" --tls-certificate FILE --tls-key FILE\n"), "\(added)")
    let quoted = try await hub.bench.failing(
      "hub", "people", "add", "--database", hub.bench.path("it's here"))
    #expect(quoted.output.contains(#"/it'\''s here' --public-address "#), "\(quoted)")
    #expect(try await hub.hub("people", "list").status == 0)
    let away = try await hub.bench.failing(
      "hub", "people", "list", "--database", "postgres://carillon@/x?host=/nowhere")
    #expect(away.status == 69 && away.errors.contains("cannot be reached"), "\(away)")
    let shouted = try await hub.bench.failing(
      "hub", "people", "list", "--database", "Postgres://carillon@/x?host=/nowhere")
    #expect(shouted.status == 69, "\(shouted)")
  }

  @Test(
    "A hint of a hub names the given database, but no password",
    arguments: [
      ("hub.sqlite", "hub.sqlite"), ("it's here", #"'it'\''s here'"#),
      ("postgres://me@host:5433/x", "postgres://me@host:5433/x"),
      ("postgres://me:secret@host/x", "postgres://..."),
      ("postgres://me%3Asecret@host/x", "postgres://..."),
      ("postgres://host/x?password=secret", "postgres://..."),
      ("postgres://host/x?pass%77ord=secret", "postgres://..."),
      ("postgres://host/x?p%61ssword=secret&application_name=%ff", "postgres://..."),
      ("postgres://host/x?sslkey=engine:pin:secret", "postgres://..."),
      ("host=h password=secret", "postgres://..."),
      ("mysql://me:secret@host/x", "postgres://..."),
    ])
  func hints(_ database: String, _ named: String) async throws {
    let bench = try await ServiceBench.make()
    let refused = try await bench.failing("hub", "quota", "nosuch", "--database", database)
    let hint = "hint: list the people: carillon hub people list --database \(named)\n"
    #expect(refused.status == 64 && refused.errors.hasSuffix(hint), "\(refused)")
    #expect(!refused.errors.contains("secret"), "\(refused)")
  }

  @Test("The command in the hint for an unknown person works")
  func pasted() async throws {
    let hub = try await HubBench.make(.files)
    let person = try await hub.addPerson()
    let unknown = "00000000-0000-4000-8000-000000000000"
    let refused = try await hub.hub("quota", unknown)
    let command = try #require(refused.errors.firstMatch(of: /list the people: (.*)/)).output.1
    let list = try await Shell.run(String(command), in: hub.bench)
    #expect(list.status == 0 && list.output.contains(person), "\(list)")
  }

  @Test("Processes of a hub that start at once in a new directory all serve")
  func atOnce() async throws {
    for _ in 0..<3 {
      let hub = try await HubBench.make(.files)
      let processes = try await withThrowingTaskGroup(of: RunningHub.self) { group in
        for _ in 0..<4 { group.addTask { try await hub.serve() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for process in processes { #expect(try await process.ask("GET", "/readyz").status == 200) }
      for process in processes { try await process.stop() }
    }
  }

  @Test("A URL of another kind of database is refused, also for a group, and makes no directory")
  func otherURLs() async throws {
    let bench = try await ServiceBench.make()
    for url in ["mysql://x:secret@h/d", "sqlite:///f", "Postgre://h/d"] {
      let ended = try await Shell.run(
        "mkdir -p away && cd away && { carillon-serve hub people add --database '\(url)' || "
          + "echo $?; } && ls", in: bench)
      #expect(ended.output == "64\n", "\(ended)")
      #expect(ended.errors.contains("give postgres://..., a directory or FILE"), "\(ended)")
      #expect(!ended.errors.contains("secret"), "\(ended)")
    }
    for group in ["two=mysql://x:secret@h/d", "two=two.sqlite", "two=", "postgres://x:secret@h/d"] {
      let ended = try await bench.failing(
        "hub", "--database", "postgres://h/d", "--groups", group)
      #expect(ended.status == 64, "\(ended)")
      #expect(ended.errors.contains("--groups: each group needs a name and a URL"), "\(ended)")
      #expect(!ended.errors.contains("secret"), "\(ended)")
    }
  }

  @Test(
    "What is no valid URL of PostgreSQL is refused without any part of it, and is no directory",
    arguments: [
      "postgres://hub:SEC%zzRET@h/c", "postgres://hub:SEC/RET@h/c", "host=h password=SECRET",
      "postgres:/u:SECRET@h/c", " postgres://u:SECRET@h/c", "PostgreSQL:u:SECRET@h",
      "jdbc:postgresql://h/c?password=SECRET",
    ])
  func invalidURLs(_ url: String) async throws {
    let bench = try await ServiceBench.make()
    for words in ["--database '\(url)'", "--database postgres:///c --groups 'two=\(url)'"] {
      let ended = try await Shell.run(
        "mkdir -p away && cd away && { carillon-serve hub --json \(words) || echo $?; } && ls",
        in: bench)
      #expect(ended.output == "64\n", "\(ended)")
      #expect(ended.errors.contains(words.contains("two") ? "--groups: " : "--database: "))
      #expect(!ended.errors.contains("SEC") && !ended.errors.contains("RET"), "\(ended)")
    }
    let copied = try await bench.failing("hub", "migrate", "hub.sqlite", url)
    #expect(copied.status == 64 && copied.errors.contains("to copy to: "), "\(copied)")
    #expect(!copied.errors.contains("RET"), "\(copied)")
  }

  @Test("A group may have several hosts, and a comma ends its URL only before another group")
  func severalHosts() async throws {
    let bench = try await ServiceBench.make()
    for (groups, status) in [
      ("two=postgres://h1,h2/c", 69), ("two=postgres://h1:1,h2:2/c,three=postgres://h,", 69),
      ("two=postgres://h1,h2/c,three=three.sqlite", 64), ("two=postgres://h/c,three=", 64),
    ] {
      let ended = try await bench.failing(
        "hub", "--database", "postgres:///c?host=/nowhere", "--groups", groups)
      #expect(ended.status == status, "\(groups): \(ended)")
    }
  }

  @Test("A hub is not copied to itself or while it serves, and one person is counted in words")
  func migration() async throws {
    let hub = try await HubBench.make(.files)
    _ = try await hub.addPerson()
    let process = try await hub.serve()
    let other = hub.bench.path("other.sqlite")
    _ = try await hub.bench.failing("hub", "people", "add", "--database", other)
    for places in [[hub.database, other], [other, hub.database]] {
      let refused = try await hub.bench.failing(["hub", "migrate"] + places)
      #expect(refused.status == 75, "\(refused)")
      #expect(refused.errors.contains("a hub or another command uses"), "\(refused)")
    }
    try await process.stop()
    let copy = hub.bench.path("copy.sqlite")
    for other in [hub.database, hub.database + "/", hub.database + "/people.sqlite"] {
      let refused = try await hub.bench.failing("hub", "migrate", hub.database, other)
      #expect(refused.status == 64 && refused.errors.contains("are the same"), "\(refused)")
    }
    let copied = try await hub.bench.failing("hub", "migrate", hub.database, copy)
    #expect(copied.output == "Copied 1 person with 0 events and 0 devices.\n", "\(copied)")
  }

  @Test("Where no directory can be created, a hub ends with the exit code of other commands")
  func noDirectory() async throws {
    let bench = try await ServiceBench.make()
    let file = try bench.write("x", to: "file")
    for place in ["\(file)/hub", "\(file)/hub.sqlite"] {
      let refused = try await bench.failing("hub", "people", "add", "--database", place)
      #expect(refused.status == 73, "\(refused)")
      #expect(refused.errors.contains("cannot create the directory \(file)"), "\(refused)")
    }
    let backup = try await bench.start(["backup", "\(file)/backup"]).end()
    #expect(backup.status == 73, "\(backup)")
  }

  @Test(
    "A directory that cannot be listed does not become a hub", .enabled(if: Shell.has("setpriv")))
  func unlisted() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await Shell.run(
      """
      mkdir closed && chmod 0300 closed
      allowed=
      [ "$(id -u)" != 0 ] || allowed="setpriv --bounding-set=-dac_override,-dac_read_search"
      $allowed carillon-serve hub people add --database closed || echo $?
      chmod 0700 closed && ls closed
      """, in: bench)
    #expect(ended.output == "73\n", "\(ended)")
    #expect(ended.errors.contains("cannot list the directory closed: Permission"), "\(ended)")
  }

  @Test("Without a valid token, or with an invitation that was used or has expired, all is refused")
  func credentials() async throws {
    let hub = try await HubBench.make(.files)
    let process = try await hub.serve()
    let person = try await hub.addPerson()
    for path in ["/v1/sync", "/v1/live", "/v1/access"] {
      for token in [nil, "x", String(repeating: "A", count: 43)] {
        #expect(try await process.ask("GET", path, as: token).status == 401)
      }
    }
    let link = try await hub.invite(person, to: process)
    let code = try #require(link.firstMatch(of: /invite=([\w-]+)/)).output.1
    let body = #"{"code":"\#(code)","name":"one"}"#
    let check = try await process.ask("POST", "/v1/join/check", body: #"{"code":"\#(code)"}"#)
    #expect(check.status == 200 && check.body.contains(person), "\(check)")
    #expect(try await process.ask("POST", "/v1/join", body: body).status == 201)
    #expect(try await process.ask("POST", "/v1/join", body: body).status == 403)
    let brief = try hub.link(
      of: await hub.hub(
        "invite", person, "--role", "phone", "--json", "--expires", "1s",
        "--public-address", "https://hub.example"))
    let late = try #require(brief.firstMatch(of: /invite=([\w-]+)/)).output.1
    let question = #"{"code":"\#(late)"}"#
    // Few questions, since a wrong code is refused for a time after several.
    repeat {
      try await Task.sleep(for: .milliseconds(700))
    } while try await process.ask("POST", "/v1/join/check", body: question).status == 200
    let expired = try await process.ask(
      "POST", "/v1/join", body: #"{"code":"\#(late)","name":"two"}"#)
    #expect(expired.status == 403, "\(expired)")
  }

  @Test("Of two devices that join with one invitation at once, one gets a token")
  func race() async throws {
    let hub = try await HubBench.make(.files)
    let process = try await hub.serve()
    let link = try await hub.invite(try await hub.addPerson(), to: process)
    let code = try #require(link.firstMatch(of: /invite=([\w-]+)/)).output.1
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for name in 0..<8 {
        group.addTask {
          try await process.ask(
            "POST", "/v1/join", body: #"{"code":"\#(code)","name":"\#(name)"}"#
          ).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [201] + [Int](repeating: 403, count: 7))
  }

  @Test("A message at the limit is answered, and one past it, or without an end, is refused")
  func sizes() async throws {
    let (hub, process, _) = try await HubBench.joined(.files)
    let credential = try hub.credential(of: "one", at: process)
    let most = String(repeating: "x", count: 60_000)
    #expect(try await process.ask("POST", "/v1/sync", as: credential, body: most).status == 200)
    let more = try await process.ask("POST", "/v1/sync", as: credential, body: most + "x")
    #expect(more.status == 413 && more.body.contains("tooLarge"), "\(more)")
    let endless = try WireConnection(port: process.port)
    endless.send(
      "POST /v1/sync HTTP/1.1\r\nHost: 127.0.0.1:\(process.port)\r\n"
        + "Authorization: Bearer \(credential)\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<7 { endless.send("2710\r\n" + most.prefix(10_000) + "\r\n") }
    #expect(await endless.answer()?.status == 413)
  }

  @Test("Connections that hold all places leave room for a device that asks")
  func connections() async throws {
    let hub = try await HubBench.make(.files)
    let process = try await hub.serve("--max-connections", "64")
    try await hub.join(try await hub.addPerson(), as: "one", at: process)
    let silent = try (0..<400).map { _ in try WireConnection(port: process.port) }
    try await hub.bench.add("Walk", to: "one")
    try await hub.sync("one")
    withExtendedLifetime(silent) {}
  }
}
#endif
