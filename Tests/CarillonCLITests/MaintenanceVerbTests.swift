import Foundation
import Testing

/// The maintenance verbs' errors for stores that they cannot work on.
@Suite(.timeLimit(.minutes(30)))
struct MaintenanceVerbTests {
  private static let verbs = [
    ["compact"], ["compact", "--dry-run"], ["habit", "delete", "Walk", "--erase", "--yes"],
    ["receipts", "erase", "--all"], ["sync", "phone", "--audit"], ["sync", "phone", "--watch"],
  ]

  @Test("A missing store is reported as it was given, and a file as a file")
  func noStore() async throws {
    let bench = try await Workbench.withStore()
    try bench.write("text", to: "file")
    for (name, expected) in [("nowhere", "nowhere\n"), ("file", "file, which is a file\n")] {
      for verb in Self.verbs {
        let arguments = verb.map { $0 == "phone" ? bench.path($0) : $0 }
        let answer = try await bench.start(arguments, store: name).answer()
        #expect(answer.status == 66, "\(verb) \(answer)")
        #expect(
          answer.errors.hasPrefix("error: there is no store at \(bench.path(""))\(expected)"),
          "\(verb) \(answer)")
      }
      let joined = try await bench.run("join-store", bench.path("phone"), bench.path(name))
      #expect(joined.status == 66 && joined.errors.contains("no store at"), "\(joined)")
    }
  }

  @Test("Only directories on this computer can be joined")
  func remoteJoin() async throws {
    let bench = try await Workbench.withStore()
    let phone = bench.path("phone")
    for arguments in [[phone, "ssh://host/x"], ["ssh://host/x", phone]] {
      let answer = try await bench.start(["join-store"] + arguments).answer()
      #expect(answer.status == 64 && answer.errors.contains("clone that store"), "\(answer)")
    }
  }

  @Test("compact compares the size of its files with that of complete projections")
  func bytesBefore() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk")
    try await bench.run("append", input: bench.entries(of: habit, count: 4_000))
    let answer = try await bench.json("compact")
    let (before, after) = (answer["bytesBefore"]?.number, answer["bytesAfter"]?.number)
    #expect(try #require(after) <= #require(before))
  }

  /// Goal: text for people is never written into a file of the store.
  @Test("If a standard stream is closed, no file takes its descriptor")
  func closedStreams() async throws {
    let bench = try await Workbench.withStore()
    for verb in [
      "status", "pending", "pending", "habit add Walk --again", "active", "verify", "log",
    ] {
      let answer = try await bench.startShell(#""$CARILLON" \#(verb) >&- <&-"#).answer()
      #expect(answer.status == 74, "\(verb) \(answer)")
      #expect(answer.errors.contains("cannot be written: Bad file descriptor"), "\(answer)")
      let silent = try await bench.startShell(#""$CARILLON" \#(verb) >&- <&- 2>&-"#).answer()
      #expect(silent.status == 74, "\(verb) \(silent)")
    }
    #expect(try await bench.run("verify").status == 0)
  }
}
