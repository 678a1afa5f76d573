#if Service
import CarillonHub
import CarillonHubFiles
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

@testable import CarillonPostgres

/// `carillon hub migrate` and `carillon hub reopen` as processes.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct HubMigrateTests {
  @Test(
    "Migrations from PostgreSQL of which all are killed but one lose and double nothing",
    arguments: HubBench.Storage.allCases)
  func killed(_ storage: HubBench.Storage) async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let (from, to) = (try await HubBench.make(.postgres), try await HubBench.make(storage))
    let erased = try await Self.fill(from.database)
    let before = try await Self.contents(of: from.database)
    let words = ["hub", "migrate", from.database, to.database]
    var partCount = 0
    for round in 0..<8 {
      let migrations = [
        try await from.bench.start(words), try await from.bench.start(words),
      ]
      if round == 0 {
        while try !Self.hasPerson(to.database), migrations.contains(where: \.process.isRunning) {
          try await Task.sleep(for: .milliseconds(1))
        }
      } else {
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...1_000, using: &random)))
      }
      for migration in migrations {
        migration.signal(SIGKILL)
        _ = try await migration.end()
      }
      if try await from.hub("people", "list").errors.contains("moved") { break }
      let list = try await to.hub("people", "list")
      if list.errors.contains("has not ended") { partCount += 1 }
    }
    #expect(partCount > 0, "seed \(seed)")
    if TestSeed.isCampaign { print("\(storage), seed \(seed): \(partCount) killed in the middle") }
    // Of two at once, one waits for the other, and is refused.
    let last = [try await from.bench.start(words), try await from.bench.start(words)]
    var ends: [EndedProgram] = []
    for migration in last { ends.append(try await migration.end()) }
    #expect(ends.allSatisfy { [0, 65, 75].contains($0.status) }, "seed \(seed): \(ends)")
    let refused = try await from.hub("--listen", "127.0.0.1:0")
    #expect(refused.status == 65 && refused.errors.contains("moved"), "seed \(seed): \(refused)")
    let process = try await to.serve()
    #expect(try await process.ask("GET", "/readyz").status == 200, "seed \(seed)")
    try await process.stop()
    let after = try await Self.contents(of: to.database)
    #expect(after == before, "seed \(seed)")
    let again = try await to.hub("people", "add", "--id", "\(erased)")
    #expect(again.status == 73, "seed \(seed): \(again)")
  }

  @Test(
    "A database whose people were moved names the command that reopens it, which says what it has",
    arguments: HubBench.Storage.allCases)
  func reopened(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let person = try await hub.addPerson()
    let copy = hub.bench.path("copy.sqlite")
    let copied = try await hub.bench.failing("hub", "migrate", hub.database, copy)
    #expect(copied.status == 0, "\(copied)")
    for words in [["people", "list"], ["--listen", "127.0.0.1:0"]] {
      let refused = try await hub.hub(words)
      #expect(refused.status == 65, "\(refused)")
      #expect(refused.errors.contains("run carillon hub reopen --database "), "\(refused)")
    }
    let reopened = try await hub.hub("reopen")
    #expect(
      reopened.output
        == "Hubs can use the database, with the people as they were when all were moved to another "
        + "database.\n", "\(reopened)")
    #expect(try await hub.hub("people", "list").output.contains(person))
    let again = try await hub.hub("reopen", "--json")
    #expect(again.status == 0 && again.output.contains(#""reopened":false"#), "\(again)")
    let process = try await hub.serve()
    let used = try await hub.hub("reopen")
    #expect(used.status == 75 && used.errors.contains("stop all processes"), "\(used)")
    try await process.stop()
    try await Self.open(hub.database).closing { try await $0.setState(.filling(from: nil)) }
    let incomplete = try await hub.hub("people", "list")
    #expect(incomplete.status == 65, "\(incomplete)")
    #expect(incomplete.errors.contains("run carillon hub reopen --database "), "\(incomplete)")
    let given = try await hub.hub("reopen")
    #expect(given.output.contains("although people may be missing"), "\(given)")
    #expect(try await hub.hub("people", "list").status == 0)
  }

  @Test("A hub whose people are moved while it runs logs the command that reopens its database")
  func movedMeanwhile() async throws {
    let server = try PostgresServer.shared.get()
    let hub = try await HubBench.make(.postgres)
    let process = try await hub.serve()
    try server.run("UPDATE hub SET state = 'moved'", in: PostgresOptions(hub.database))
    try server.run(
      """
      SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """, in: PostgresOptions(hub.database))
    while try await process.ask("GET", "/readyz").status == 200 {}
    while process.lines(with: "all people were moved").isEmpty {
      _ = try await process.ask("GET", "/readyz")
    }
    let line = process.lines(with: "run carillon hub reopen --database ")
    #expect(line.count == 1, "\(process.program.errors)")
  }

  @Test("A migration that is refused names the commands that help, and they do")
  func refusals() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await Shell.run(
      """
      add() { carillon hub people add --database "$1" --quiet; }
      # Runs the commands of a hint.
      follow() {
        sed -n 's/^hint: //p' "$1" | grep -o 'carillon hub [^;]*' \\
          | sed 's/erase/erase --yes/' >commands
        cat commands
        sh -eu commands >/dev/null
      }
      ann=$(add a.sqlite)
      ben=$(add a.sqlite)
      carillon hub migrate a.sqlite b.sqlite
      carillon hub erase --yes "$ben" --database b.sqlite >/dev/null
      ! carillon hub migrate b.sqlite a.sqlite 2>errors
      follow errors | sed "s/$ben/BEN/"
      carillon hub migrate b.sqlite a.sqlite
      ! carillon hub migrate b.sqlite c.sqlite 2>errors
      follow errors
      carillon hub people list --database b.sqlite | grep -c "$ann"
      """, in: bench)
    #expect(
      ended.output == """
        Copied 2 people with 0 events and 0 devices.
        carillon hub reopen --database a.sqlite
        carillon hub erase --yes BEN --database a.sqlite
        Copied 1 person with 0 events and 0 devices.
        carillon hub reopen --database b.sqlite
        1

        """, "\(ended)")
  }

  @Test("While a migration has not ended, one from another hub is refused, unless it is given up")
  func otherSource() async throws {
    let hub = try await HubBench.make(.files)
    _ = try await hub.addPerson()
    let bench = hub.bench
    let (from, to) = (bench.path("from.sqlite"), bench.path("to.sqlite"))
    _ = try await bench.failing("hub", "people", "add", "--database", from)
    let other = try await Self.open(hub.database).closing { $0.id }
    try await Self.open(to).closing { try await $0.setState(.filling(from: other)) }
    let refused = try await bench.failing("hub", "migrate", from, to)
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.errors.contains("a migration from the hub \(other) to"), "\(refused)")
    #expect(refused.errors.contains("run carillon hub reopen --database \(to); then"), "\(refused)")
    #expect(try await hub.hub("shards").output.hasPrefix("hub \(other)\n"))
    _ = try await bench.failing("hub", "reopen", "--database", to)
    let copied = try await bench.failing("hub", "migrate", from, to)
    #expect(copied.status == 0, "\(copied)")
  }

  @Test("A group with shards stays, and one without is removed from the list")
  func groups() async throws {
    let hub = try await HubBench.make(.postgres)
    let second = try HubBench.newDatabase(on: PostgresServer.shared.get())
    try await hub.serve("--groups", "two=\(second),typo=postgres:///c?host=/nowhere").stop()
    let typo = try await hub.hub("group", "remove", "typo")
    #expect(typo.status == 0 && typo.errors.contains("could not be asked"), "\(typo)")
    _ = try await hub.hub("move", "3", "two")
    let refused = try await hub.hub("group", "remove", "two")
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.errors.contains("still has shards, such as 3\n"), "\(refused)")
    #expect(refused.errors.contains("then move each of the group: carillon hub move"), "\(refused)")
    _ = try await hub.hub("move", "3", "main")
    let removed = try await hub.hub("group", "remove", "two")
    #expect(
      removed.output == "Removed group two. --groups would add it again.\n" && removed.errors == "",
      "\(removed)")
    let again = try await hub.hub("group", "remove", "two")
    #expect(again.status == 66 && again.errors.contains("the hub has no group two"), "\(again)")
    let list = try await hub.hub("shards")
    #expect(list.output.contains("\nshards 0-1023: main\n"), "\(list)")
  }

  // MARK: -

  /// What a hub has of a person, in any kind of database.
  private struct Contents: Equatable {
    let events: [StoredEvent]
    let access: Set<HubAccess>
    let quota: HubQuota
  }

  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  /// Opens a database that hubs may use or not.
  private static func open(_ database: String) throws -> any HubDatabase {
    guard database.hasPrefix("postgres:") else {
      return try FileHub(at: database, creates: true, use: .exclusive)
    }
    var options = PostgresOptions(database)
    options.use = .exclusive
    return try PostgresHub(options)
  }

  /// Whether a database that a migration uses alone has a person already.
  private static func hasPerson(_ database: String) throws -> Bool {
    guard database.hasPrefix("postgres:") else {
      let files = FileManager.default.enumerator(atPath: database)
      while let name = files?.nextObject() as? String {
        if name.hasSuffix("/log.sqlite") { return true }
      }
      return false
    }
    var options = PostgresOptions(database)
    options.use = .exclusive
    let connection = try PostgresConnection(options)
    defer { connection.close() }
    let table = try connection.rows(PostgresStatement("SELECT to_regclass('log') IS NOT NULL"))[0]
    guard table.flag(0, 0) else { return false }
    return try connection.rows(PostgresStatement("SELECT FROM log LIMIT 1"))[0].count > 0
  }

  /// Adds people with events and an invitation each, and returns a person who was erased.
  private static func fill(_ database: String) async throws -> StoreID {
    try await open(database).closing { hub in
      for number in 0..<24 {
        let person = StoreID.random()
        try await hub.add(person, quota: HubQuota(bytes: UInt64(number + 1) << 20, devices: number))
        let invitation = HubAccess(
          .invitation, of: person, digest: PayloadDigest(person.bytes).bytes, role: "watch",
          name: nil, since: noon, expires: nil)
        try await hub.add(invitation, at: noon)
        var (phone, watch) = (EventHistory(.random()), EventHistory(.random()))
        for _ in 0..<10 {
          _ = try await hub.log(of: person).append(
            [phone.run(count: 40), watch.run(count: 7)], wallClock: noon, erasures: nil)
        }
      }
      let erased = StoreID.random()
      try await hub.add(erased, quota: HubQuota())
      _ = try await hub.erase(erased)
      return erased
    }
  }

  private static func contents(of database: String) async throws -> [StoreID: Contents] {
    try await open(database).closing { hub in
      var all: [StoreID: Contents] = [:]
      try await hub.forEachPerson { person in
        var events: [StoredEvent] = []
        try await hub.log(of: person.id).scan(after: .start) { event in
          events.append(event.event)
          return true
        }
        all[person.id] = Contents(
          events: events, access: Set(try await hub.access(of: person.id, includingKeys: true)),
          quota: person.quota)
      }
      return all
    }
  }
}
#endif
