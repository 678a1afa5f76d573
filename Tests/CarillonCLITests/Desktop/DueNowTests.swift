import Foundation
import Testing

@testable import CarillonCLI

/// `watch` delivers what is due by what is known now, not what was planned when it last ran.
struct DueNowTests {
  /// What happens between two runs of `watch`, at 12:00 and later.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let flags: [String]
    /// The verbs between the runs, with their times of day.
    let verbs: [(time: String, words: [String])]
    /// The times of the later runs, and what each shows.
    let runs: [(time: String, shown: [String])]
  }

  private static let changes = [
    Change(
      testDescription: "renamed", flags: ["--at", "17:00"],
      verbs: [("13:00", ["habit", "edit", "Walk", "--title", "Stroll"])],
      runs: [("17:01", ["Stroll 17:00"]), ("17:02", [])]),
    Change(
      testDescription: "moved later", flags: ["--at", "17:00"],
      verbs: [("13:00", ["schedule", "edit", "Walk", "--at", "18:00"])],
      runs: [("17:30", []), ("18:01", ["Walk 18:00"]), ("18:02", [])]),
    Change(
      testDescription: "moved to a time that has passed", flags: ["--at", "17:00"],
      verbs: [("13:00", ["schedule", "edit", "Walk", "--at", "12:30"])],
      runs: [("17:30", [])]),
    Change(
      testDescription: "in new quiet hours", flags: ["--at", "17:00"],
      verbs: [("13:00", ["settings", "set", "quietHours", "16-19"])],
      runs: [("17:30", []), ("19:01", ["Walk 19:00"]), ("19:02", [])]),
    Change(
      testDescription: "done", flags: ["--at", "17:00", "--unless", "done"],
      verbs: [("13:00", ["done", "Walk"])], runs: [("17:01", [])]),
    Change(
      testDescription: "skipped, and taken back after it was due", flags: ["--at", "17:00"],
      verbs: [("13:00", ["skip", "Walk"]), ("17:30", ["undo", "Walk"])],
      runs: [("17:31", ["Walk 17:00"]), ("17:32", [])]),
    Change(
      testDescription: "an interval, of which only the last one is due",
      flags: ["--interval", "1h", "--window", "13-20"], verbs: [],
      runs: [("17:30", ["Walk 17:00"]), ("18:00", ["Walk 18:00"]), ("18:01", [])]),
    Change(
      testDescription: "two times of a day, which are both due",
      flags: ["--at", "13:00", "--at", "17:00"], verbs: [],
      runs: [("17:30", ["Walk 13:00", "Walk 17:00"]), ("17:31", [])]),
  ]

  @Test("What changed between two runs of watch decides what is shown", arguments: changes)
  func change(_ change: Change) async throws {
    let bench = try await Self.bench()
    try await Self.run(bench, ["habit", "add", "Walk"] + change.flags, Workbench.now)
    #expect(try await Self.watch(bench, "12:00").isEmpty)
    for (time, words) in change.verbs {
      try await Self.run(bench, words, Self.today(time))
    }
    for (time, shown) in change.runs {
      #expect(try await Self.watch(bench, time) == shown, "at \(time)")
    }
    #expect(try await bench.digest("desk") == bench.rebuiltDigest("desk"))
  }

  @Test("A digest is shown once, without its members, and with what is left of it")
  func digest() async throws {
    let bench = try await Self.bench()
    try await bench.run("settings", "set", "digest", "2/30m", store: "desk")
    for (title, time) in [("A", "17:00"), ("B", "17:10"), ("C", "17:20"), ("D", "17:25")] {
      _ = try await bench.addHabit(title, "--at", time, "--unless", "done", store: "desk")
    }
    #expect(try await Self.watch(bench, "12:00").isEmpty)
    try await bench.run("done", "B", store: "desk", now: Self.today("13:00"))
    #expect(try await Self.watch(bench, "17:01") == ["3 reminders 17:00"])
    #expect(try await Self.watch(bench, "17:30").isEmpty)
    let receipts = try await bench.json("receipts", "--state", "delivered", store: "desk")
    #expect(receipts["receipts"]?.list.count == 3)
  }

  @Test("What was planned and is not shown is not presumed to be delivered")
  func notPresumed() async throws {
    let bench = try await Self.bench()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done", store: "desk")
    #expect(try await Self.watch(bench, "12:00").isEmpty)
    try await bench.run("done", "Walk", store: "desk", now: Self.today("13:00"))
    #expect(try await Self.watch(bench, "17:01").isEmpty)
    let found = try await bench.json("receipts", "list", store: "desk", now: Self.today("17:02"))
    #expect(found["receipts"]?.list.isEmpty == true, "\(found)")
  }

  // MARK: -

  private static func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore("desk")
    try await bench.run("permission", "grant", store: "desk")
    try await bench.run("alerts", "on", store: "desk")
    return bench
  }

  private static func run(_ bench: Workbench, _ words: [String], _ now: String) async throws {
    let answer = try await bench.start(words, store: "desk", now: now).answer()
    #expect(answer.status == 0, "\(answer)")
  }

  private static func today(_ time: String) -> String { "2026-11-23T\(time):00+01:00" }

  /// Returns the titles and times of what a run of `watch` shows.
  private static func watch(_ bench: Workbench, _ time: String) async throws -> [String] {
    let answer = try await bench.start(
      ["watch", "--once", "--json"], store: "desk", now: today(time),
      with: ["CARILLON_NOTIFY": "/bin/true"]
    ).answer().document()
    return answer["shown"]?.list.map { notice in
      let firedAt = notice["firedAt"]?.text ?? ""
      return "\(notice["title"]?.text ?? "") \(firedAt.dropFirst(11).prefix(5))"
    } ?? []
  }
}
