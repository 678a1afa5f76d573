import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

/// A desktop that shows each due reminder once, and records it in the store.
struct WatchTests {
  private static let due = "2026-11-23T17:00:30+01:00"

  /// A store with a reminder at 17:00, on which `watch` ran at noon.
  private func bench() async throws -> (Workbench, habit: String) {
    let bench = try await Workbench.withStore("desk")
    let habit = try await bench.addHabit(
      "Walk", "--at", "17:00", "--unless", "done", "--body=--help <b> & `rm -rf $HOME`",
      store: "desk")
    try await bench.run("permission", "grant", store: "desk")
    try await bench.run("alerts", "on", store: "desk")
    try bench.write(
      """
      #!/bin/sh
      cd "$(dirname "$0")"
      for argument in "$@"; do printf '%s\\n' "$argument"; done >> shown
      exit $(cat status 2>/dev/null || echo 0)
      """, to: "notify")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: bench.path("notify"))
    _ = try await watch(bench, Workbench.now)
    return (bench, habit)
  }

  private func watch(_ bench: Workbench, _ now: String) async throws -> Answer {
    try await bench.start(
      ["watch", "--once"], store: "desk", now: now,
      with: ["CARILLON_NOTIFY": bench.path("notify")]
    ).answer()
  }

  private func shown(_ bench: Workbench) throws -> [String] {
    guard FileManager.default.fileExists(atPath: bench.path("shown")) else { return [] }
    return try String(contentsOf: bench.url("shown"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  @Test("A due reminder is passed to the desktop's service once, without a shell")
  func once() async throws {
    let (bench, _) = try await bench()
    #expect(try shown(bench).isEmpty)
    let answer = try await watch(bench, Self.due)
    #expect(answer.status == 0 && answer.output.isEmpty, "\(answer)")
    #expect(
      try shown(bench) == [
        "--app-name=Carillon", "--urgency=normal", "--", "Walk",
        "--help &lt;b&gt; &amp; `rm -rf $HOME`",
      ])
    let receipts = try await bench.json("receipts", "--state", "delivered", store: "desk")
    #expect(receipts["receipts"]?.list.map { $0["at"]?.text } == ["2026-11-23T17:00:00+01:00"])
    let log = try await bench.log("desk")
    _ = try await watch(bench, "2026-11-23T17:05:00+01:00")
    #expect(try shown(bench).count == 5)
    #expect(try await bench.log("desk") == log)
    // Also if the desktop's queue is lost.
    try FileManager.default.removeItem(at: bench.url("desk/desktop.json"))
    _ = try await watch(bench, "2026-11-23T17:06:00+01:00")
    #expect(try shown(bench).count == 5)
  }

  @Test("What a failing command printed is said by watch and status, until a reminder is shown")
  func refusal() async throws {
    let (bench, _) = try await bench()
    try bench.write("broken dbus\n", to: "status")
    try bench.write(
      "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n[ -f status ] || exit 0\n"
        + "echo; cat status >&2; exit 3\n", to: "notify")
    let answer = try await watch(bench, Self.due)
    let reason = "it exited with 3: broken dbus"
    #expect(answer.status == 69 && answer.errors.contains(reason), "\(answer)")
    let health = try await bench.json("status", store: "desk")["health"]?.list.compactMap(\.text)
    #expect(health?.contains { $0.contains("was not shown") && $0.hasSuffix(reason) } == true)
    try FileManager.default.removeItem(at: bench.url("status"))
    #expect(try await watch(bench, "2026-11-23T17:02:00+01:00").status == 0)
    #expect(!(try await bench.run("status", store: "desk").output.contains("broken dbus")))
  }

  @Test("A command with arguments is split into words as in a shell")
  func commandWords() async throws {
    let (bench, _) = try await bench()
    let command = ShellWord.joined([bench.path("notify"), "--icon", "a b"])
    let answer = try await bench.start(
      ["watch", "--once"], store: "desk", now: Self.due, with: ["CARILLON_NOTIFY": command]
    ).answer()
    #expect(answer.status == 0, "\(answer)")
    #expect(try shown(bench).prefix(3) == ["--icon", "a b", "--app-name=Carillon"])
    for (command, status) in [("notify 'a", 64), ("/no/such program", 66)] as [(String, Int32)] {
      let refused = try await bench.start(
        ["watch", "--once"], store: "desk", with: ["CARILLON_NOTIFY": command]
      ).answer()
      #expect(refused.status == status, "\(refused)")
      #expect(refused.errors.contains("CARILLON_NOTIFY"), "\(refused)")
    }
  }

  @Test("watch says at its start what it watches, and where notifications go")
  func start() async throws {
    let (bench, _) = try await bench()
    let child = try await bench.start(
      ["watch"], store: "desk", with: ["CARILLON_NOTIFY": bench.path("notify")])
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while try child.errors.isEmpty, clock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.errors.contains("Watching 1 habit of desk in \(bench.path("desk"))"))
    #expect(answer.errors.contains("notifications go to \(bench.path("notify")). Ctrl-C"))
  }

  @Test("watch says which device reminds if this one does not, and what to do")
  func replaced() async throws {
    let (bench, _) = try await bench()
    try await bench.run("replicas", "retire", "desk", store: "desk")
    let answer = try await watch(bench, Self.due)
    let reason =
      "no device reminds; this is desk, which is retired; to use it again: "
      + "carillon replicas retire --undo desk"
    #expect(answer.status == 0 && answer.errors.hasPrefix("warning: \(reason)\n"), "\(answer)")
    #expect(try shown(bench).isEmpty)
    let json = try await bench.start(
      ["watch", "--once", "--json"], store: "desk", now: Self.due,
      with: ["CARILLON_NOTIFY": bench.path("notify")]
    ).answer().document()
    #expect(json["reminders"]?["detail"]?.text == reason && json["blocked"] == .null, "\(json)")
    try await bench.run("replicas", "retire", "--undo", "desk", store: "desk")
    #expect(try await !watch(bench, Self.due).errors.contains("warning"))
    let before = try titles(bench).count
    let later = try await watch(bench, "2026-11-24T17:00:30+01:00").errors
    #expect(!later.contains("warning"))
    #expect(try titles(bench).count == before + 1)
  }

  @Test("A queued reminder that is done or suppressed meanwhile is not shown")
  func silent() async throws {
    for verb in [["done"], ["skip"], ["habit", "archive"], ["habit", "pause"]] {
      let (bench, habit) = try await bench()
      _ = try await bench.start(verb + [habit], store: "desk").answer()
      _ = try await watch(bench, Self.due)
      #expect(try shown(bench).isEmpty, "\(verb)")
    }
    for verb in [["permission", "revoke"], ["alerts", "off"]] {
      let (bench, _) = try await bench()
      _ = try await bench.start(verb, store: "desk").answer()
      let answer = try await watch(bench, Self.due)
      #expect(try shown(bench).isEmpty, "\(verb)")
      #expect(answer.errors.contains("Reminders are off on this device"), "\(answer)")
    }
  }

  @Test(
    "A copied desktop shows what its predecessor's queue had, whether it wrote or not",
    arguments: [[], ["2026-11-23T16:00:00+01:00"]])
  func copied(before: [String]) async throws {
    let (bench, _) = try await bench()
    try bench.copy("desk", to: "original")
    try FileManager.default.removeItem(at: bench.url("desk"))
    try bench.copy("original", to: "desk")
    for now in before + [Self.due] { _ = try await watch(bench, now) }
    #expect(try titles(bench) == ["Walk"])
  }

  @Test("Several processes that watch one store at a time show each reminder once")
  func together() async throws {
    let (bench, _) = try await bench()
    let added = ["Air", "Bed", "Cat", "Dog", "Ear", "Fig"]
    for title in added { _ = try await bench.addHabit(title, "--at", "17:00", store: "desk") }
    try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 0..<4 { group.addTask { try await watch(bench, Self.due) } }
      for try await answer in group { #expect(answer.status == 0, "\(answer)") }
    }
    let titles = try shown(bench).filter { added.contains($0) || $0 == "Walk" }
    #expect(titles.sorted() == added + ["Walk"])
  }

  @Test("A permission that a clock ahead of now recorded silences no reminder")
  func grantedAhead() async throws {
    let (bench, _) = try await bench()
    try await bench.run(
      "permission", "deny", store: "desk", now: "2026-11-23T16:00:00+01:00")
    try await bench.run(
      "permission", "grant", store: "desk", now: "2027-11-23T16:00:00+01:00")
    _ = try await watch(bench, Self.due)
    #expect(try titles(bench) == ["Walk"])
  }

  @Test("A reminder that was missed for more than a day is not shown late")
  func late() async throws {
    let (bench, _) = try await bench()
    _ = try await watch(bench, "2026-11-26T09:00:00+01:00")
    #expect(try shown(bench).filter { $0 == "Walk" }.count == 1, "yesterday's alone")
  }

  @Test("A reminder added or snoozed after the last run and due since is shown once")
  func missed() async throws {
    let (bench, habit) = try await bench()
    _ = try await watch(bench, Self.due)
    #expect(try shown(bench).filter { $0 == "Walk" }.count == 1)
    try await bench.run(
      "habit", "add", "Tea", "--at", "17:20,17:40", store: "desk", now: "2026-11-23T17:10:00+01:00")
    // Its time had passed when it was added.
    try await bench.run(
      "habit", "add", "Late", "--at", "17:05", store: "desk", now: "2026-11-23T17:10:00+01:00")
    try await bench.run(
      "snooze", habit, "--for", "15m", store: "desk", now: "2026-11-23T17:10:00+01:00")
    _ = try await watch(bench, "2026-11-23T17:30:00+01:00")
    #expect(try titles(bench) == ["Walk", "Tea", "Walk"])
    let late = "2026-11-23T17:31:00+01:00"
    _ = try await watch(bench, late)
    #expect(try titles(bench).count == 3)
    let log = try await bench.log("desk")
    #expect(log.split(separator: "\n").contains { $0.contains("17:20") })
    // Also if the desktop's queue is lost, and comes back as it was before.
    try FileManager.default.removeItem(at: bench.url("desk/desktop.json"))
    try bench.write(#"{"pending":[],"asOf":"2026-11-23T17:01:00+01:00"}"#, to: "desk/desktop.json")
    _ = try await watch(bench, late)
    #expect(try titles(bench).count == 3)
    _ = try await watch(bench, "2026-11-23T17:45:00+01:00")
    #expect(try titles(bench) == ["Walk", "Tea", "Walk", "Tea"])
  }

  @Test("A new reminder that is done, or was due while alerts were off, is not shown")
  func missedInVain() async throws {
    let (bench, _) = try await bench()
    let added = "2026-11-23T12:10:00+01:00"
    try await bench.run(
      "habit", "add", "Tea", "--at", "12:20", "--unless", "done", store: "desk", now: added)
    try await bench.run("done", "Tea", store: "desk", now: "2026-11-23T12:15:00+01:00")
    _ = try await watch(bench, "2026-11-23T12:25:00+01:00")
    #expect(try titles(bench).isEmpty)
    let denied = "2026-11-23T12:26:00+01:00"
    try await bench.run("habit", "add", "Milk", "--at", "12:30", store: "desk", now: denied)
    try await bench.run("permission", "revoke", store: "desk", now: denied)
    try await bench.run("permission", "grant", store: "desk", now: "2026-11-23T12:40:00+01:00")
    _ = try await watch(bench, "2026-11-23T12:50:00+01:00")
    #expect(try titles(bench).isEmpty)
  }

  @Test(
    "With --json, --once prints one document: shown, refused, and why none are allowed")
  func document() async throws {
    let (bench, _) = try await bench()
    let script = "\"$CARILLON\" watch --once --json --zone \(Workbench.zone) --now "
    func run(_ now: String) async throws -> Document {
      let answer = try await bench.startShell("PATH=/nowhere " + script + now, store: "desk")
        .answer()
      return try Document(json: answer.output)
    }
    let empty = try await run(Workbench.now)
    #expect(empty["shown"]?.list.isEmpty == true && empty["refused"]?.list.isEmpty == true)
    let due = try await run(Self.due)
    #expect(due["shown"]?.list.map { $0["title"]?.text } == ["Walk"])
    #expect(due["shown"]?[0]?["firedAt"]?.text == "2026-11-23T17:00:00+01:00")
    try await bench.run("alerts", "off", store: "desk", now: Self.due)
    #expect(try await run("2026-11-24T17:00:30+01:00")["blocked"]?.text == "alertsOff")
  }

  private func titles(_ bench: Workbench) throws -> [String] {
    try shown(bench).filter { ["Walk", "Tea", "Late", "Milk"].contains($0) }
  }

  @Test("A refused notification is reported, not presumed shown, and shown by the next run")
  func refused() async throws {
    let (bench, _) = try await bench()
    try bench.write("3", to: "status")
    let answer = try await watch(bench, Self.due)
    #expect(answer.status == 69)
    #expect(answer.errors.contains("did not show \"Walk\": it exited with 3"), "\(answer)")
    for state in ["delivered", "presumed"] {
      let receipts = try await bench.json("receipts", "--state", state, store: "desk")
      #expect(receipts["receipts"]?.list.isEmpty == true, "\(state): \(receipts)")
    }
    try bench.write("0", to: "status")
    let before = try shown(bench).count
    #expect(try await watch(bench, Self.due).status == 0)
    #expect(try shown(bench).dropFirst(before).filter { $0 == "Walk" }.count == 1)
    let delivered = try await bench.json("receipts", "--state", "delivered", store: "desk")
    #expect(delivered["receipts"]?.list.count == 1)
    #expect(try await watch(bench, Self.due).status == 0)
    #expect(try shown(bench).dropFirst(before).filter { $0 == "Walk" }.count == 1)
  }

  @Test("A watch killed while it shows a reminder loses no other: shown, refused or waiting")
  func killed() async throws {
    let (bench, _) = try await bench()
    for title in ["Tea", "Milk", "Bread"] {
      try await bench.run("habit", "add", title, "--at", "17:00", store: "desk")
    }
    _ = try await watch(bench, Workbench.now)
    // The first one is refused, and the third one waits until it is killed.
    try bench.write(
      """
      #!/bin/sh
      cd "$(dirname "$0")"
      echo "$4" >> shown
      test "$(wc -l < shown)" = 1 && exit 1
      test "$(wc -l < shown)" = 3 && sleep 600
      exit 0
      """, to: "notify")
    let child = try await bench.start(
      ["watch", "--once"], store: "desk", now: Self.due,
      with: ["CARILLON_NOTIFY": bench.path("notify")])
    while child.isRunning, try shown(bench).count < 3 {
      try await Task.sleep(for: .milliseconds(5))
    }
    child.signal(SIGKILL)
    _ = try await child.answer()
    let before = try shown(bench)
    #expect(before.count == 3)
    let file = try String(contentsOf: bench.url("desk/desktop.json"), encoding: .utf8)
    let queue = try Document(json: file)
    #expect(queue["delivered"]?.list.map { $0["title"]?.text } == [before[1]], "\(queue)")
    _ = try await watch(bench, "2026-11-23T17:02:00+01:00")
    let later = try shown(bench).dropFirst(3)
    #expect(later.contains(before[0]) && Set(before).union(later).count == 4, "\(later)")
    #expect(!later.contains(before[1]) && !later.contains(before[2]), "\(later)")
  }

  @Test("A command that hangs is killed after the time limit in the help text")
  func hangs() async throws {
    let (bench, _) = try await bench()
    let help = try await bench.startPlain(["watch", "--help"], store: nil).answer()
    let words = help.output.split { $0.isWhitespace }.joined(separator: " ")
    let limit = try #require(words.firstMatch(of: /Exit code 0 within (\d+) seconds means/))
    let seconds = try #require(Int(limit.1))
    try bench.write(
      """
      #!/bin/sh
      echo $$ > "$(dirname "$0")/hanging"
      exec sleep 600
      """, to: "notify")
    let clock = ContinuousClock()
    let start = clock.now
    let answer = try await watch(bench, Self.due)
    #expect(answer.status == 69, "\(answer)")
    // Well above the limit, for a busy machine.
    let taken = clock.now - start
    #expect(taken >= .seconds(seconds) && taken < .seconds(4 * seconds), "\(taken)")
    let process = try String(contentsOf: bench.url("hanging"), encoding: .utf8)
    let identifier = try #require(pid_t(process.trimmingCharacters(in: .newlines)))
    #expect(kill(identifier, 0) != 0 && errno == ESRCH)
  }

  @Test("A watch ends at once if its queue is not a file")
  func noFile() async throws {
    let (bench, _) = try await bench()
    try FileManager.default.removeItem(at: bench.url("desk/desktop.json"))
    #expect(mkfifo(bench.path("desk/desktop.json"), 0o600) == 0)
    let answer = try await watch(bench, Self.due)
    #expect(answer.status == 66 || answer.status == 65, "\(answer)")
  }

  @Test("Without a service, notifications are printed, and a missing command is refused")
  func lines() async throws {
    let (bench, _) = try await bench()
    let script = "\"$CARILLON\" watch --once --now \(Self.due) --zone \(Workbench.zone)"
    let plain = try await bench.startShell("PATH=/nowhere " + script, store: "desk").answer()
    #expect(
      plain.output == "Mon 23 Nov 17:00  Walk: --help <b> & `rm -rf $HOME`\n", "\(plain)")
    #expect(plain.errors.hasPrefix("warning: notify-send is not installed"))
    let missing = try await bench.startShell("CARILLON_NOTIFY=/nowhere " + script, store: "desk")
      .answer()
    #expect(missing.status == 66, "\(missing)")
  }

  @Test("A watch runs until it is interrupted, and follows changes of the store")
  func follows() async throws {
    let (bench, habit) = try await bench()
    let child = try await bench.startShell(
      "exec env PATH=/nowhere \"$CARILLON\" watch --now 2026-11-23T16:00:00+01:00 --zone "
        + Workbench.zone, store: "desk")
    let file = bench.url("desk/desktop.json")
    func count() throws -> Int {
      try Document(json: try String(contentsOf: file, encoding: .utf8))["pending"]?.list.count ?? 0
    }
    let before = try count()
    try await bench.run("done", habit, store: "desk")
    while child.isRunning, try count() == before {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try count() == before - 1)
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.status == SIGINT, "\(answer)")
  }
}
