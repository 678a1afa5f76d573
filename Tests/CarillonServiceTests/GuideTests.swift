#if Service
import Foundation
import Testing

/// The examples of the guide, as they stand there.
@Suite(.enabled(if: Shell.has("curl"), "curl is not installed")) struct GuideTests {
  @Test("Each example of the guide works")
  func examples() async throws {
    let bench = try await ServiceBench.make()
    try await bench.run("habit", "add", "Walk", "--at", "17:00")
    let service = try await bench.serve()
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appending(path: "Sources/Carillon/Carillon.docc/Guides/Serving.md"),
      encoding: .utf8)
    let blocks = guide.matches(of: /(?s)```sh\n(.*?)```/).map {
      String($0.output.1).replacing(":8787", with: ":\(service.port)")
    }
    #expect(blocks.count == 10)
    let variables = blocks[0]
    for (block, text) in zip(
      blocks,
      [
        "\"ready\":true", "#invite=", "\"type\":\"entry.recorded\"", "\"position\":1,",
        "id: 1\ndata: {", "\"appended\":1", "event: pending",
        "\"stateDigest\"", "carillon_log_position", "\"code\":\"invalidValue\"",
      ])
    {
      let ended = try await Shell.run(variables + block, in: bench)
      #expect(ended.status == 0 && ended.output.contains(text), "\(block)\n\(ended)")
    }
  }
}
#endif
