import Foundation
import Testing

/// Files of a store that another program cuts while a process uses them.
struct CutFileTests {
  @Test("A process whose log is cut ends with a clear error", .timeLimit(.minutes(30)))
  func log() async throws {
    let bench = try await Workbench.withStore()
    let follower = try await bench.start(["log", "--follow", "--json"])
    try await follower.prints { $0.contains("device.described") }
    let file = try FileHandle(forWritingTo: bench.url("phone/log/data.mdb"))
    try file.truncate(atOffset: 0)
    try file.close()
    let answer = try await follower.answer()
    #expect(!answer.wasSignalled && answer.status == 74, "\(answer)")
    #expect(answer.errors.contains(#""code":"io""#), "\(answer)")
  }
}
