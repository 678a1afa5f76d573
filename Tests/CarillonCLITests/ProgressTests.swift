import Foundation
import Testing

/// The progress of a long verb on a terminal.
struct ProgressTests {
  /// Enough rows that progress is drawn on any machine: at most 10 times a second, with a speed
  /// after 0.2 s.
  private static let rows = 60_000

  @Test("A long import shows progress, speed and remaining time, on standard error only")
  func terminal() async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write(Self.habitBull(rows: Self.rows), to: "bull.csv")
    let terminal = try PseudoTerminal(columns: 120)
    let answer = try await bench.start(
      ["import", file, "--format", "habitbull", "--json"], errorsOn: terminal
    ).answer()
    #expect(answer.status == 0, "\(answer)")
    #expect(try answer.document()["entries"]?.number == Self.rows)
    #expect(!answer.output.contains("\r") && !answer.output.contains("\u{1B}"))
    let printed = try await terminal.printed()
    let lines = printed.split(separator: "\r").map(String.init)
    let wanted = /importing [█░]+ [0-9]+%  [0-9,]+ of 60,000 rows  [0-9,]+\/s  .+ left/
    #expect(lines.contains { $0.contains(wanted) }, "\(lines)")
    // Each line clears the rest of the line and fits the terminal, and the last one is empty.
    #expect(lines.allSatisfy { $0.hasSuffix("\u{1B}[K") && $0.count < 120 })
    #expect(lines.last == "\u{1B}[K" && !printed.contains("\n"))
  }

  @Test("No progress is printed with --quiet, or if standard error is a file")
  func quiet() async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write(Self.habitBull(rows: 3_000), to: "bull.csv")
    let terminal = try PseudoTerminal(columns: 80)
    let arguments = ["import", file, "--format", "habitbull"]
    let quiet = try await bench.start(arguments + ["--quiet"], errorsOn: terminal).answer()
    #expect(quiet.status == 0 && quiet.output.isEmpty, "\(quiet)")
    #expect(try await terminal.printed().isEmpty)
    let toFile = try await bench.start(arguments).answer()
    #expect(toFile.status == 0 && toFile.errors.isEmpty, "\(toFile)")
  }

  /// Rows of several habits, each date once.
  private static func habitBull(rows: Int) -> String {
    let dates = (0..<rows / 10 + 1).map { day in
      Date(timeIntervalSince1970: Double(day) * 86_400).formatted(.iso8601.year().month().day())
    }
    return "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
      + (0..<rows).map { "Habit \($0 % 10),,,\(dates[$0 / 10]),1,\n" }.joined()
  }
}
