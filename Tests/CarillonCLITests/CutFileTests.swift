import Foundation
import Testing

/// Files of a store that another program cuts while a process uses them.
struct CutFileTests {
  @Test(
    "A process whose log is cut ends with a clear error, whether it sees it first or not",
    .timeLimit(.minutes(30)), arguments: [["log", "--follow"], ["watch"]])
  func log(follower verb: [String]) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let follower = try await bench.start(verb + ["--json"])
    try await Task.sleep(for: .milliseconds(500))
    let file = try FileHandle(forWritingTo: bench.url("phone/log/data.mdb"))
    try file.truncate(atOffset: 3 * 4_096)
    try file.close()
    let answer = try await follower.answer()
    #expect(!answer.wasSignalled && [65, 74].contains(answer.status), "\(answer)")
    #expect(answer.errors.contains(#"{"error":{"code":""#), "\(answer)")
  }

  @Test("A process that reads beyond the end of a cut file ends with a clear error")
  func signal() async throws {
    let bench = try await Workbench.withStore()
    let follower = try await bench.start(["log", "--follow", "--json"])
    try await follower.prints { $0.contains("device.described") }
    // The system sends the same signal for such a read, which no test can time.
    follower.signal(SIGBUS)
    let answer = try await follower.answer()
    #expect(!answer.wasSignalled && answer.status == 74, "\(answer)")
    #expect(answer.errors.hasPrefix(#"{"error":{"code":"io","message":"a file of the store "#))
  }
}
