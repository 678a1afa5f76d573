import Foundation
import Testing

/// `carillon watch` with the real `notify-send`, on a real session bus.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(
    "needs dbus-daemon, python3-dbus, python3-gi and notify-send 0.8 (tools/prepare --tests)",
    SessionBus.isInstalled))
struct SessionBusTests {
  private static let due = "2026-11-23T17:00:30+01:00"

  /// A store with a reminder at 17:00, on which `watch` ran at noon.
  private func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore("desk")
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--body", "once <around>", store: "desk")
    try await bench.run("permission", "grant", store: "desk")
    try await bench.run("alerts", "on", store: "desk")
    try await bench.run("watch", "--once", store: "desk")
    return bench
  }

  private func watch(
    _ bench: Workbench, _ arguments: String..., on variables: [String: String]
  ) async throws -> Child {
    try await bench.start(["watch"] + arguments, store: "desk", now: Self.due, with: variables)
  }

  private func wait(for child: Child, until holds: () throws -> Bool) async throws {
    while child.isRunning, try !holds() { try await Task.sleep(for: .milliseconds(5)) }
  }

  private func end(_ watch: Child) async throws -> Answer {
    watch.signal(SIGINT)
    let answer = try await watch.answer()
    #expect(answer.status == SIGINT, "\(answer)")
    return answer
  }

  private func count(_ kind: String, in bench: Workbench) async throws -> Int {
    try await bench.log("desk").split(separator: "\n").count { $0.contains(kind) }
  }

  @Test(
    "The action that is chosen on the desktop is recorded in the store",
    arguments: [
      ("done", "entry.recorded"), ("skip", "day.marked"), ("snooze", "snooze.set"),
    ])
  func answered(action: String, kind: String) async throws {
    let bench = try await bench()
    try await SessionBus.run { bus in
      try await bus.withServer("--answer", action) { server in
        let child = try await watch(bench, on: bus.variables)
        try await wait(for: child) { try child.errors.contains("Answered: \(action), Walk.") }
        _ = try await end(child)
        let shown = "show Walk | once &lt;around&gt; | done snooze skip"
        #expect(try server.output.hasPrefix("ready\n\(shown)\n"))
      }
    }
    #expect(try await count(kind, in: bench) == 1)
    let acted = try await bench.json("receipts", "--state", "acted", store: "desk")
    #expect(acted["receipts"]?.list.count == 1, "\(acted)")
  }

  @Test("A notification that waits for an answer is closed when the reminder is done elsewhere")
  func elsewhere() async throws {
    let bench = try await bench()
    try await SessionBus.run { bus in
      try await bus.withServer { server in
        let child = try await watch(bench, on: bus.variables)
        try await wait(for: child) { try server.output.contains("show Walk") }
        try await bench.run("done", "Walk", store: "desk", now: Self.due)
        try await wait(for: child) { try server.output.contains("close\n") }
        _ = try await end(child)
        #expect(try server.output.hasSuffix("done snooze skip\nclose\n"))
      }
    }
    #expect(try await count("entry.recorded", in: bench) == 1)
  }

  @Test("A desktop without actions shows the notification without them")
  func noActions() async throws {
    let bench = try await bench()
    try await SessionBus.run { bus in
      try await bus.withServer("--no-actions", "--answer", "done") { server in
        let child = try await watch(bench, on: bus.variables)
        try await wait(for: child) { try server.output.contains("show Walk") }
        let isRecorded = { () async throws -> Bool in
          let found = try await bench.json("receipts", "--state", "delivered", store: "desk")
          return found["receipts"]?.list.count == 1
        }
        while child.isRunning, try await !isRecorded() {}
        let answer = try await end(child)
        #expect(!answer.errors.contains("warning"), "\(answer)")
        #expect(try server.output == "ready\nshow Walk | once &lt;around&gt; |\n")
      }
    }
    #expect(try await count("entry.recorded", in: bench) == 0)
  }

  @Test("Without a notification server or a bus, the reminder waits, and the reason is said once")
  func noServer() async throws {
    let bench = try await bench()
    try await SessionBus.run { bus in
      let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"]
      for (variables, reason) in [(bus.variables, "ServiceUnknown"), (nowhere, "not connect")] {
        let child = try await watch(bench, on: variables)
        try await wait(for: child) { try child.errors.contains("did not show \"Walk\"") }
        // Each change of the store is a reason to look again.
        for title in ["A", "B", "C"] {
          try await bench.run("habit", "add", title, "--at", "09:00", store: "desk", now: Self.due)
        }
        let answer = try await end(child)
        #expect(answer.errors.components(separatedBy: "warning:").count == 2, "\(answer)")
        #expect(answer.errors.contains(reason), "\(answer)")
        let health = try await bench.json("status", store: "desk", now: Self.due)["health"]?.list
        #expect(health?.contains { $0.text?.contains(reason) == true } == true, "\(answer)")
      }
      try await bus.withServer { server in
        let answer = try await watch(bench, "--once", on: bus.variables).answer()
        #expect(answer.status == 0, "\(answer)")
        #expect(try server.output == "ready\nshow Walk | once &lt;around&gt; |\n")
      }
    }
  }
}
