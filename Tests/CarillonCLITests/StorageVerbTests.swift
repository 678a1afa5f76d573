import Carillon
import Foundation
import Testing

/// Every verb on every storage.
@Suite(.timeLimit(.minutes(30)))
struct StorageVerbTests {
  static let storages = Store.Storage.allCases.map(\.rawValue)

  /// One call per line, on the store `phone`.
  ///
  /// `@PATH` is replaced by a path, `<FILE` by a file as standard input, and `SCHEDULE`, `ENTRY`
  /// and `REQUEST` by an ID of the habit Walk.
  ///
  /// A line that ends in `?` may also exit with 1, which means "no".
  private static let calls = """
    habit add Read
    habit list
    habit show Walk
    habit edit Read --title Study
    habit pause Walk
    habit resume Walk
    habit archive Walk
    habit unarchive Walk
    habit delete Walk
    habit restore Walk
    schedule add Walk --at 08:00
    schedule edit SCHEDULE --at 09:00
    schedule remove SCHEDULE
    settings show
    settings set dayStart 04:00
    active
    done Walk --on 2026-11-22
    undo Walk --on 2026-11-22
    skip Study
    note Walk wet
    done Walk --on 2026-11-21
    entry list Walk
    entry edit ENTRY --amount 2
    entry remove ENTRY
    permission show
    permission prime --yes ?
    permission ask ?
    permission deny
    permission revoke
    permission grant
    permission token 00FFa1
    alerts on
    pending
    today
    week
    plan --against @list.json
    plan --apply @list.json
    explain Walk
    receipt delivered REQUEST
    receipt opened REQUEST
    receipt dismissed REQUEST
    receipt acted REQUEST --action done
    snooze Walk --for 15m ?
    watch --once
    ingest --source feed <items.json
    receive - <push.json
    receipts list
    receipts erase --source feed
    log
    show phone@2
    status
    append <entries.ndjson
    export
    import @events.ndjson
    backup @backup
    backup @backup --incremental
    backup --check @backup
    backup --to @backup.tar
    restore @backup @restored
    rebuild
    rebuild --check
    verify
    clone @phone @watch --replica watch --storage lmdb
    clone @phone @tablet --replica tablet --storage sqlite
    sync @watch
    sync @tablet --audit
    diff @watch @tablet ?
    replicas list
    replicas rename tablet slate
    replicas role slate desktop
    replicas retire slate
    replicas retire --undo slate
    replicas close slate
    join-store @phone @other
    habit delete Study --erase --yes
    compact
    verify
    """

  @Test("Every verb works on every storage", arguments: storages)
  func everyVerb(storage: String) async throws {
    let bench = try Workbench()
    let made = try await bench.make("phone", storage: storage)
    #expect(made["storage"]?.text == storage)
    for other in Self.storages where other != storage {
      try await bench.make("other", storage: other)
    }
    let walk = try await bench.addHabit("Walk", "--at", "07:30,17:00", "--unless", "done")
    try bench.write("[]", to: "list.json")
    try bench.write(#"{"id":"one","title":"One"}"#, to: "items.json")
    try bench.write(#"{"aps":{"alert":"hello"}}"#, to: "push.json")
    try bench.write(bench.entries(of: walk, count: 40), to: "entries.ndjson")
    try bench.write(try await bench.run("export").output, to: "events.ndjson")
    let request = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    var called: Set = ["init"]
    for line in Self.calls.split(separator: "\n") {
      let schedules = try await bench.json("habit", "show", "Walk")["schedules"]?.list ?? []
      let schedule = try #require(schedules.last?["id"]?.text)
      let entries = try await bench.json("entry", "list", "Walk")["entries"]?.list ?? []
      var input = ""
      let words = try line.split(separator: " ").compactMap { word -> String? in
        switch word {
        case "?": return nil
        case "SCHEDULE": return schedule
        case "ENTRY": return entries.first?["entry"]?.text
        case "REQUEST": return request
        case _ where word.hasPrefix("@"): return bench.path(String(word.dropFirst()))
        case _ where word.hasPrefix("<"):
          input = try String(contentsOf: bench.url(String(word.dropFirst())), encoding: .utf8)
          return nil
        default: return String(word)
        }
      }
      let answer = try await bench.start(words, input: input, now: Self.evening).answer()
      #expect(
        answer.status == 0 || line.hasSuffix("?") && answer.status == 1, "\(line): \(answer)")
      called.formUnion([words[0], words.prefix(2).joined(separator: " ")])
    }
    let missing = try await verbs(bench).subtracting(called)
    #expect(missing.subtracting(Self.elsewhere) == ["help", "times"])
  }

  /// The verbs that need a service or a sealed store, whose tests are with these.
  private static let elsewhere: Set = [
    "access list", "access revoke", "hub", "invite", "join", "pair", "recover", "seal", "serve",
  ]
  /// Five minutes after the reminder.
  private static let evening = "2026-11-23T17:05:00+01:00"

  /// All verbs of the command line.
  private func verbs(_ bench: Workbench) async throws -> Set<String> {
    let help = try await bench.startPlain(["--experimental-dump-help"], store: nil).answer()
    func leaves(of command: Document, _ path: [String]) -> [String] {
      let commands = command["subcommands"]?.list ?? []
      if commands.isEmpty { return [path.joined(separator: " ")] }
      return commands.flatMap { leaves(of: $0, path + [$0["commandName"]?.text ?? ""]) }
    }
    return Set(leaves(of: try #require(try help.document()["command"]), []))
  }
}
