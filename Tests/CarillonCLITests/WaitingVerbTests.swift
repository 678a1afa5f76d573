import Foundation
import Testing

/// Verbs that wait for another process.
struct WaitingVerbTests {
  @Test(
    "compact and join-store wait for a process that closes the store, else they name it",
    .timeLimit(.minutes(30)), arguments: ["lmdb", "sqlite"])
  func alone(storage: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("init", "--replica", "tablet", "--storage", storage, store: "tablet")
    for verb in [["compact"], ["join-store", bench.path("phone"), bench.path("tablet")]] {
      let holder = try await bench.start(["log", "--follow"], store: "tablet")
      try await holder.prints { $0.contains("device.described") }
      let refused = try await bench.start(verb, store: "tablet").answer()
      #expect(
        refused.status == 75 && refused.errors.contains("process \(holder.identifier)"),
        "\(verb) \(refused)")
      #expect(refused.errors.contains("carillon serve"), "\(refused)")
      #expect(!refused.errors.contains("may be stopped"), "\(refused)")
      let waiting = try await bench.start(verb, store: "tablet")
      // It has opened the file whose lock it waits for.
      while waiting.isRunning, !waiting.holdsFile(below: bench.path("tablet")) {
        try await Task.sleep(for: .milliseconds(2))
      }
      holder.signal(SIGINT)
      _ = try await holder.answer()
      let answer = try await waiting.answer()
      #expect(answer.status == 0, "\(verb) \(answer)")
    }
  }

  @Test("Of several processes that give habits one title, one succeeds", .timeLimit(.minutes(30)))
  func oneTitle() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Read")
    let verbs =
      [[String]](repeating: ["habit", "add", "Tea"], count: 5)
      + [["habit", "edit", "Read", "--title", "TEA"]]
    var children: [Child] = []
    for verb in verbs { children.append(try await bench.start(verb)) }
    var statuses: [Int32] = []
    for child in children { statuses.append(try await child.answer().status) }
    #expect(statuses.sorted() == [0] + [Int32](repeating: 73, count: 5))
    let again = try await bench.run("habit", "add", "tea", "--again")
    #expect(again.status == 0, "\(again)")
  }
}
