#if Service
import Foundation
import Testing

/// A service that is stopped while it imports.
@Suite struct StopDuringImportTests {
  private static let rows = (0..<20).flatMap { habit in
    (0..<2_000).map { number in
      let date = "\(2001 + number / 336)-\(two(1 + number / 28 % 12))-\(two(1 + number % 28))"
      return "Habit \(habit),,,\(date),1,"
    }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  @Test("SIGTERM ends it with whole batches, and importing the file again adds the rest")
  func stop() async throws {
    let bench = try await ServiceBench.make()
    let header = "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText"
    let text = ([header] + Self.rows).joined(separator: "\n") + "\n"
    let service = try await bench.serve()
    let connection = try service.connect()
    connection.send(
      service.text("POST", "/v1/import?format=habitbull", [service.bearer], body: text))
    // Begins, and is not at its end.
    while try await !service.ask("GET", "/v1/events").body.contains("entry.recorded") {}
    let ended = try await service.stop()
    #expect(ended.status == 0 && !ended.wasSignalled, "\(ended)")
    let verified = try await bench.run("verify")
    #expect(verified.status == 0, "\(verified)")
    let file = try bench.write(text, to: "habits.csv")
    let again = try await bench.run("import", "--format", "habitbull", file)
    #expect(again.status == 0, "\(again)")
    let list = try await bench.run("habit", "list", "--json")
    #expect(list.output.matches(of: /"title":"Habit \d+"/).count == 20, "\(list)")
    let final = try await bench.run("import", "--format", "habitbull", file, "--json")
    #expect(final.output.contains("\"seen\":40020"), "\(final)")
  }
}
#endif
