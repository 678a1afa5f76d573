#if Service
import CarillonPostgres
import CarillonTestSupport
import Foundation
import Testing

/// Several processes of one hub, their ends, and a database that goes away.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct HubProcessTests {
  @Test("Two people with two devices each sync through two processes, and get only their own")
  func people() async throws {
    let hub = try await HubBench.make(.postgres)
    let (left, right) = (try await hub.serve(), try await hub.serve())
    for name in ["ann", "ben"] {
      let person = try await hub.addPerson()
      try await hub.join(person, as: "\(name)1", at: left)
      try await hub.join(person, as: "\(name)2", at: right)
      try await hub.bench.add("Walk of \(name)", to: "\(name)1")
      try await hub.bench.add("Tea of \(name)", to: "\(name)2")
    }
    for store in ["ann1", "ben1", "ann2", "ben2", "ann1", "ben1"] { try await hub.sync(store) }
    for name in ["ann", "ben"] {
      try await hub.bench.expectSame("\(name)1", "\(name)2")
      #expect(try await hub.titles("\(name)1") == ["Walk of \(name)", "Tea of \(name)"])
    }
  }

  @Test("News arrive at a stream of another process, and streams end when a process stops")
  func news() async throws {
    let (hub, left, right, person) = try await joinedAtTwo()
    let news = try await right.news(as: try hub.credential(of: "two", at: right))
    let first = try #require(await news.next())
    #expect(first.data.contains(person), "\(first)")
    try await hub.bench.add("Walk", to: "one")
    try await hub.sync("one")
    let second = try #require(await news.next())
    #expect(second.data != first.data)
    let ended = try await right.stop()
    #expect(ended.status == 0, "\(ended)")
    while await news.next() != nil {}
    try await hub.bench.add("Tea", to: "one")
    try await hub.sync("one")
    withExtendedLifetime(left) {}
  }

  @Test("A watch follows what another device sends through another process")
  func watch() async throws {
    let (hub, left, right, _) = try await joinedAtTwo()
    let watch = try await hub.bench.start(
      ["sync", "--store", hub.bench.path("two"), "--watch", "--every", "20s"])
    try await hub.bench.add("Walk", to: "one")
    try await hub.sync("one")
    try await hub.bench.becomeSame("one", "two")
    watch.signal(SIGINT)
    _ = try await watch.end()
    withExtendedLifetime((left, right)) {}
  }

  @Test("A process that is killed while it appends loses and doubles nothing")
  func killed() async throws {
    let (hub, left, right, _) = try await joinedAtTwo()
    for title in ["A", "B", "C"] { try await hub.bench.add(title, to: "one") }
    let sync = try await hub.bench.start(["sync", "--store", hub.bench.path("one")])
    try await left.stop(SIGKILL)
    _ = try await sync.end()
    let again = try await hub.serve("--listen", "127.0.0.1:\(left.port)")
    try await hub.sync("one")
    try await hub.sync("two")
    try await hub.bench.expectSame("one", "two")
    let report = try await hub.sync("one")
    #expect(!report.output.contains("Sent"), "\(report)")
    try await again.stop()
    withExtendedLifetime(right) {}
  }

  @Test("While the database is away, devices learn when to return, and lose nothing")
  func databaseAway() async throws {
    let server = try PostgresServer()
    let (hub, process, person) = try await HubBench.joined(.postgres, on: server)
    let credential = try hub.credential(of: "one", at: process)
    try server.tell("stop")
    for _ in 0..<8 {
      let refused = try await process.ask("POST", "/v1/sync", as: credential, body: "x")
      #expect(refused.status == 503 && refused.body.contains(#""code":"busy""#), "\(refused)")
      #expect(refused.headers["retry-after"].flatMap { Int($0) } ?? 0 >= 1, "\(refused)")
    }
    #expect(try await process.ask("GET", "/livez").status == 200)
    let health = try await process.ask("GET", "/readyz")
    let reason = "the database cannot be reached"
    #expect(health.status == 503 && health.body.contains(reason), "\(health)")
    let metrics = try await process.ask("GET", "/metrics").body
    #expect(metrics.contains("carillon_hub_refused_total"), "\(metrics)")
    try await hub.bench.add("Walk", to: "one")
    try server.tell("start")
    while try await process.ask("GET", "/readyz").status != 200 {}
    for line in ["nothing can be written: \(reason)", "this is over: \(reason)"] {
      #expect(process.lines(with: line).count == 1, "\(process.program.errors)")
    }
    while try await hub.bench.link("sync", "--store", hub.bench.path("one")).status != 0 {}
    try await hub.join(person, as: "two", at: process)
    for store in ["two", "one"] { try await hub.sync(store) }
    try await hub.bench.expectSame("one", "two")
  }

  @Test("On a full disk of the database, devices and the operator learn so, and nothing is lost")
  func fullDisk() async throws {
    let server = try PostgresServer.shared.get()
    let (hub, process, person) = try await HubBench.joined(.postgres, on: server)
    let credential = try hub.credential(of: "one", at: process)
    let database = PostgresOptions(hub.database)
    try server.refuse(
      "CREATE TRIGGER refusal BEFORE INSERT ON run FOR EACH ROW", by: "53100", in: database)
    try await hub.bench.add("Walk", to: "one")
    for _ in 0..<6 {
      let refused = try await hub.bench.link("sync", "--store", hub.bench.path("one"))
      #expect(refused.status == 75 && refused.errors.contains("in 6"), "\(refused)")
    }
    let health = try await process.ask("GET", "/readyz")
    let reason = "the disk of the database is full"
    #expect(health.status == 503 && health.body.contains(reason), "\(health)")
    #expect(process.lines(with: reason).count == 1, "\(process.program.errors)")
    // What needs no room is answered.
    #expect(try await process.ask("GET", "/v1/access", as: credential).status == 200)
    try server.run("DROP TRIGGER refusal ON run", in: database)
    // Before the obstacle is too old to count.
    let freed = ContinuousClock.now
    var number = 0
    repeat {
      number += 1
      try await hub.bench.add("Tea \(number)", to: "one")
      try await hub.sync("one")
    } while try await process.ask("GET", "/readyz").status != 200
    #expect(.now - freed < .seconds(25))
    try await hub.join(person, as: "two", at: process)
    try await hub.sync("one")
    try await hub.bench.expectSame("one", "two")
  }

  @Test("While the database accepts no writes, devices and the operator learn so")
  func readOnly() async throws {
    let server = try PostgresServer()
    let (hub, process, _) = try await HubBench.joined(.postgres, on: server)
    let own = PostgresOptions(
      server.database + " options='-c default_transaction_read_only=off'")
    func setReadOnly(_ word: String) throws {
      try server.run("ALTER SYSTEM SET default_transaction_read_only = \(word)", in: own)
      try server.run("SELECT pg_reload_conf()", in: own)
    }
    try setReadOnly("on")
    try await hub.bench.add("Walk", to: "one")
    let reason = "the database accepts no writes"
    var health = try await process.ask("GET", "/readyz")
    while health.status == 200 { health = try await process.ask("GET", "/readyz") }
    #expect(health.body.contains(reason), "\(health)")
    let refused = try await hub.bench.link("sync", "--store", hub.bench.path("one"))
    #expect(refused.status == 75 && refused.errors.contains(reason), "\(refused)")
    #expect(process.lines(with: reason).count == 1, "\(process.program.errors)")
    let ended = ContinuousClock.now
    try setReadOnly("off")
    while try await process.ask("GET", "/readyz").status != 200 {}
    #expect(.now - ended < .seconds(25))
    try await hub.sync("one")
  }

  @Test("While the database has no synchronous copy, devices and the operator learn so at once")
  func noCopies() async throws {
    let server = try PostgresServer(["wal_level=replica"])
    let standby = try PostgresServer(["primary_slot_name=''"], following: server)
    func setCopies(_ names: String) throws {
      try server.run("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
      try server.run("SELECT pg_reload_conf()")
    }
    let hub = try await HubBench.make(.postgres, on: server)
    try setCopies("*")
    let process = try await hub.serve("--require-copies")
    let person = try await hub.addPerson()
    try await hub.join(person, as: "one", at: process)
    let reason = "the database has no synchronous copy"
    for (number, end, begin) in [
      (1, { try standby.tell("stop") }, { try standby.tell("start") }),
      (2, { try setCopies("") }, { try setCopies("*") }),
    ] as [(Int, () throws -> Void, () throws -> Void)] {
      try end()
      var health = try await process.ask("GET", "/readyz")
      while health.status == 200 { health = try await process.ask("GET", "/readyz") }
      #expect(health.body.contains(reason), "\(health)")
      try await hub.bench.add("Walk \(number)", to: "one")
      let refused = try await hub.bench.link("sync", "--store", hub.bench.path("one"))
      #expect(refused.status == 75 && refused.errors.contains(reason), "\(refused)")
      #expect(
        process.lines(with: "nothing can be written: \(reason)").count == number,
        "\(process.program.errors)")
      try begin()
      while try await process.ask("GET", "/readyz").status != 200 {}
      try await hub.sync("one")
    }
    try await hub.join(person, as: "two", at: process)
    for store in ["two", "one"] { try await hub.sync(store) }
    try await hub.bench.expectSame("one", "two")
  }

  @Test(
    "A hub that has no login or no database ends with 77 or 66, since trying again does not help",
    arguments: [
      ("carillon@", "nobody@", 77, "refuses the hub's login", "check the user and the password"),
      ("/h", "/missing", 66, "the database does not exist", "or create the database"),
    ])
  func cannotStart(
    _ part: String, _ other: String, _ status: Int32, _ said: String, _ hint: String
  ) async throws {
    let hub = try await HubBench.make(.postgres)
    let range = try #require(hub.database.firstRange(of: part))
    let database = hub.database.replacingCharacters(in: range, with: other)
    for words in [["hub", "--listen", "127.0.0.1:0"], ["hub", "people", "list"]] {
      let ended = try await hub.bench.failing(words + ["--database", database])
      #expect(ended.status == status && ended.errors.contains(said), "\(ended)")
      #expect(ended.errors.contains(hint), "\(ended)")
    }
  }

  @Test("A process that is older than the database refuses what devices send, and says why")
  func olderProcess() async throws {
    let server = try PostgresServer.shared.get()
    let (hub, process, _) = try await HubBench.joined(.postgres, on: server)
    let credential = try hub.credential(of: "one", at: process)
    let database = PostgresOptions(hub.database)
    try server.run("INSERT INTO migration VALUES (1000)", in: database)
    try await hub.bench.add("Walk", to: "one")
    let refused = try await process.ask(
      "POST", "/v1/invitations", as: credential, body: #"{"role":"watch"}"#)
    let reason = "this process is older than the database; upgrade it"
    #expect(refused.status == 503 && refused.body.contains(reason), "\(refused)")
    let health = try await process.ask("GET", "/readyz")
    #expect(health.status == 503 && health.body.contains(reason), "\(health)")
    #expect(process.program.errors.contains(reason))
    #expect(try await process.ask("GET", "/v1/access", as: credential).status == 200)
    try server.run("DELETE FROM migration WHERE number = 1000", in: database)
    try await hub.sync("one")
  }

  /// Starts two processes of a hub, and lets a store of a new person join at each.
  private func joinedAtTwo() async throws -> (
    hub: HubBench, left: RunningHub, right: RunningHub, person: String
  ) {
    let (hub, left, person) = try await HubBench.joined(.postgres)
    let right = try await hub.serve()
    try await hub.join(person, as: "two", at: right)
    return (hub, left, right, person)
  }
}
#endif
