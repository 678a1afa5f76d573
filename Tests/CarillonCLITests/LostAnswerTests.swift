import Foundation
import Testing

/// Standard streams that are closed, full or unreadable.
@Suite(.timeLimit(.minutes(30)))
struct LostAnswerTests {
  @Test("A verb that recorded something reports it if its answer is lost, in every format")
  func recorded() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try await bench.run("done", "Walk", store: "watch")
    try bench.write(try await bench.run("export", store: "watch").output, to: "watch.ndjson")
    var count = try await bench.ids().count
    for (verb, input) in [
      ("habit add Read", ""), ("done Walk", ""), ("alerts on --json", ""),
      ("append -", bench.entries(of: habit, count: 2)), ("import \"$TMPDIR/watch.ndjson\"", ""),
      ("ingest --source feed -", #"{"id":"1","title":"One"}"# + "\n"),
    ] {
      Self.expectRecorded(
        try await bench.startShell("\"$CARILLON\" \(verb) >&-", input: input).answer())
      let now = try await bench.ids().count
      #expect(now > count, "\(verb)")
      count = now
    }
    for verb in [
      "sync \"$TMPDIR/watch\"", "compact", "plan --apply \"$TMPDIR/system\"",
      "clone \"$TMPDIR/phone\" \"$TMPDIR/third\" --replica third",
    ] {
      Self.expectRecorded(try await bench.startShell("\"$CARILLON\" \(verb) >&-").answer())
    }
    try await bench.expectSame("third")
  }

  private static func expectRecorded(_ answer: Answer) {
    #expect(answer.status == 74, "\(answer)")
    #expect(answer.errors.contains("the change was recorded, but the answer was lost"), "\(answer)")
    #expect(answer.errors.contains("do not run the command again"), "\(answer)")
  }

  @Test("A verb that only reads reports the error", arguments: ["status", "log", "export"])
  func read(verb: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startShell("\"$CARILLON\" \(verb) >&-").answer()
    #expect(answer.status == 74 && answer.errors.contains("standard output cannot be"), "\(answer)")
    #expect(!answer.errors.contains("recorded"), "\(answer)")
  }

  @Test(
    "Output to a full device is reported as full, with its path",
    arguments: ["export", "log", "compact"])
  func full(verb: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startShell("\"$CARILLON\" \(verb) --json >/dev/full").answer()
    #expect(answer.status == 74, "\(answer)")
    #expect(answer.errors.contains("standard output, /dev/full, cannot be written"), "\(answer)")
    let code = verb == "compact" ? "answerLost" : "full"
    #expect(answer.errors.contains("\"code\":\"\(code)\""), "\(answer)")
  }

  @Test("A warning that cannot be written does not stop a verb")
  func warned() async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startShell(
      "\"$CARILLON\" habit add Walk --at 02:30 --on mon 2>&-; echo $?"
    ).answer()
    #expect(answer.output.hasPrefix("Added Walk") && answer.output.hasSuffix("\n0\n"), "\(answer)")
  }

  @Test(
    "Input that cannot be read ends with exit code 74 and the system's reason",
    arguments: [
      ("import - <&-", "standard input"), ("append - <&-", "standard input"),
      ("ingest --source feed - <&-", "standard input"), ("receive - < /", "standard input"),
      ("append - < /", "Is a directory"),
    ])
  func unreadable(verb: String, expected: String) async throws {
    let bench = try await Workbench.withStore()
    for flags in ["", " --json"] {
      let answer = try await bench.startShell("\"$CARILLON\"\(flags) \(verb)").answer()
      #expect(answer.status == 74 && answer.errors.contains(expected), "\(answer)")
      #expect(!answer.errors.contains("NSCocoa") && !answer.errors.contains("internal"))
    }
  }

  @Test("A reminder that cannot be printed is kept for the next run")
  func heldReminder() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.allowReminders()
    let due = "--now 2026-11-23T17:00:30+01:00 --zone \(Workbench.zone)"
    let none = ["PATH": "/nowhere"]
    let first = "\"$CARILLON\" watch --once --now \(Workbench.now) --zone \(Workbench.zone)"
    #expect(try await bench.startShell(first, with: none).answer().status == 0)
    let lost = try await bench.startShell("\"$CARILLON\" watch --once \(due) >&-", with: none)
      .answer()
    #expect(lost.status == 74, "\(lost)")
    let next = try await bench.startShell("\"$CARILLON\" watch --once \(due)", with: none).answer()
    #expect(next.status == 0 && next.output.hasSuffix("17:00  Walk\n"), "\(next)")
  }
}
