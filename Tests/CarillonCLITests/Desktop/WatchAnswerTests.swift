import Foundation
import Testing

@testable import CarillonCLI

/// Reminders that `watch` shows with actions, and the answers that it records.
struct WatchAnswerTests {
  private static let due = "2026-11-23T17:00:30+01:00"

  /// A store with a reminder at 17:00, and a command that shows it and waits for the file `answer`.
  private func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore("desk")
    _ = try await bench.addHabit("Walk", "--at", "17:00", store: "desk")
    try await bench.run("permission", "grant", store: "desk")
    try await bench.run("alerts", "on", store: "desk")
    try script(
      """
      #!/bin/sh
      cd "$(dirname "$0")"
      trap 'echo closed >> calls; exit' INT
      echo "$CARILLON_ACTIONS $*" >> calls
      [ -n "$CARILLON_ACTIONS" ] || exit 0
      echo shown
      while [ ! -e answer ]; do sleep 0.02; done
      cat answer
      """, in: bench)
    _ = try await watch(bench, "--once", now: Workbench.now).answer()
    return bench
  }

  private func script(_ text: String, in bench: Workbench) throws {
    try bench.write(text, to: "notify")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: bench.path("notify"))
  }

  private func watch(
    _ bench: Workbench, _ arguments: String..., now: String = Self.due
  ) async throws -> Child {
    try await bench.start(
      ["watch"] + arguments, store: "desk", now: now,
      with: ["CARILLON_NOTIFY": bench.path("notify")])
  }

  private func calls(_ bench: Workbench) -> String {
    (try? String(contentsOf: bench.url("calls"), encoding: .utf8)) ?? ""
  }

  /// Waits until a condition holds or a child has ended.
  private func wait(for child: Child, until holds: () throws -> Bool) async throws {
    while child.isRunning, try !holds() { try await Task.sleep(for: .milliseconds(5)) }
  }

  private func events(_ bench: Workbench) async throws -> [String] {
    try await bench.log("desk").split(separator: "\n").map(String.init)
  }

  @Test(
    "The answer that the command prints is recorded for the reminder's occurrence",
    arguments: [
      ("done", "entry.recorded"), ("skip", "day.marked"), ("snooze", "snooze.set"),
    ])
  func answered(action: String, kind: String) async throws {
    let bench = try await bench()
    let child = try await watch(bench)
    try await wait(for: child) { calls(bench).contains("Walk") }
    #expect(calls(bench).hasPrefix("done snooze skip --app-name=Carillon"))
    try bench.write(action + "\n", to: "answer")
    try await wait(for: child) { try child.errors.contains("Answered: \(action), Walk.") }
    child.signal(SIGINT)
    #expect(try await child.answer().status == SIGINT)
    #expect(try await events(bench).filter { $0.contains(kind) }.count == 1)
    let acted = try await bench.json("receipts", "--state", "acted", store: "desk")
    #expect(acted["receipts"]?.list.count == 1, "\(acted)")
    #expect(!calls(bench).contains("closed"))
  }

  @Test("A reminder that is done elsewhere is closed, and its late answer changes nothing")
  func elsewhere() async throws {
    let bench = try await bench()
    let child = try await watch(bench)
    try await wait(for: child) { calls(bench).contains("Walk") }
    try await bench.run("done", "Walk", store: "desk", now: Self.due)
    try await wait(for: child) { calls(bench).contains("closed") }
    try bench.write("skip\n", to: "answer")
    child.signal(SIGINT)
    _ = try await child.answer()
    #expect(calls(bench).hasSuffix("closed\n"))
    #expect(try await events(bench).filter { $0.contains("entry.recorded") }.count == 1)
    #expect(try await !events(bench).contains { $0.contains("day.marked") })
  }

  @Test("The commands that wait for an answer end when watch ends")
  func ends() async throws {
    let bench = try await bench()
    let child = try await watch(bench)
    try await wait(for: child) { calls(bench).contains("Walk") }
    child.signal(SIGTERM)
    _ = try await child.answer()
    #expect(calls(bench).hasSuffix("closed\n"))
  }

  @Test("With --once, no actions are offered")
  func once() async throws {
    let bench = try await bench()
    let answer = try await watch(bench, "--once").answer()
    #expect(answer.status == 0 && calls(bench).hasPrefix(" --app-name"), "\(answer)")
  }

  @Test("Of many notifications that wait, the oldest is closed, and all are shown")
  func bounded() async throws {
    let bench = try await bench()
    for number in 1...UnansweredNotifications.limit {
      try await bench.run("habit", "add", "H\(number)", "--at", "17:00", store: "desk")
    }
    _ = try await watch(bench, "--once", now: Workbench.now).answer()
    let child = try await watch(bench)
    func lines(_ prefix: String) -> Int {
      calls(bench).split(separator: "\n").count { $0.hasPrefix(prefix) }
    }
    try await wait(for: child) {
      lines("done snooze skip") > UnansweredNotifications.limit && lines("closed") > 0
    }
    #expect(lines("done snooze skip") == UnansweredNotifications.limit + 1)
    #expect(lines("closed") == 1)
    child.signal(SIGINT)
    _ = try await child.answer()
  }
}
