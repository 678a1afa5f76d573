import Foundation
import Testing

/// Files of the greatest size are read, and larger ones are refused before anything is written.
struct FileLimitTests {
  /// 64 MiB, as the guide Limits says.
  private static let maxBytes = 64 << 20

  /// Verbs that read a whole file, which is named last; each takes an empty list.
  private static let verbs = [["plan", "--apply"], ["plan", "--against"]]

  @Test("A file of 64 MiB is read, and one with a byte more is refused", arguments: verbs)
  func bytes(_ verb: [String]) async throws {
    let bench = try await Workbench.withStore()
    for (count, status) in [(Self.maxBytes, Int32(0)), (Self.maxBytes + 1, 65)] {
      let file = bench.url("list.json")
      try Data((String(repeating: " ", count: count - 2) + "[]").utf8).write(to: file)
      let log = try await bench.log()
      let answer = try await bench.start(verb + [file.path]).answer()
      #expect(answer.status == status, "\(count) bytes: \(answer.errors)")
      guard status != 0 else { continue }
      #expect(answer.errors.contains("maximum of 67108864 bytes"), "\(answer.errors)")
      #expect(try await bench.log() == log)
      let left = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
      #expect(left == count)
    }
  }

  @Test("A line of events of 1 MiB is read, and one with a byte more is refused")
  func lines() async throws {
    let bench = try await Workbench.withStore()
    let event =
      #"{"type":"habit.created","habit":"620a4d4d-c252-5433-be2e-6cb09eb84b51","title":"Walk"}"#
    for (count, status) in [(1 << 20, Int32(0)), ((1 << 20) + 1, 65)] {
      let blanks = String(repeating: " ", count: count - event.utf8.count)
      try bench.write("\n" + blanks + event + "\n", to: "events.ndjson")
      let log = try await bench.log()
      let answer = try await bench.start(["append", bench.path("events.ndjson")]).answer()
      #expect(answer.status == status, "\(count) bytes: \(answer.errors)")
      guard status != 0 else { continue }
      #expect(
        answer.errors.contains("line 2: longer than the maximum of 1048576 bytes"),
        "\(answer.errors)")
      #expect(try await bench.log() == log)
    }
  }

  @Test("A text file to import that has more than 64 MiB is refused")
  func text() async throws {
    let bench = try await Workbench.withStore()
    let line = "BEGIN:VCALENDAR\n"
    let text = line + String(repeating: "\n", count: Self.maxBytes + 1 - line.utf8.count)
    try bench.write(text, to: "large.ics")
    let log = try await bench.log()
    let answer = try await bench.start(["import", bench.path("large.ics")]).answer()
    #expect(answer.status == 65, "\(answer.errors)")
    #expect(answer.errors.contains("67108864"), "\(answer.errors)")
    #expect(try await bench.log() == log)
  }
}
