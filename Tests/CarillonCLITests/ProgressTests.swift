import Foundation
import Testing

/// Progress of a long verb on a terminal.
struct ProgressTests {
  /// Enough rows that the import is seen at work on any machine: a line is drawn ten times a second
  /// at most, and a speed told after a fifth of a second.
  private static let rows = 60_000

  @Test("A long import tells how far it is, how fast and how long, on the terminal of errors only")
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
    // Each line clears what it does not cover, fits the terminal, and the last leaves nothing.
    #expect(lines.allSatisfy { $0.hasSuffix("\u{1B}[K") && $0.count < 120 })
    #expect(lines.last == "\u{1B}[K" && !printed.contains("\n"))
  }

  @Test("Nothing of it is printed with --quiet, or where the errors go to a file")
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

  /// Rows of some habits, each date once.
  private static func habitBull(rows: Int) -> String {
    let dates = (0..<rows / 10 + 1).map { day in
      Date(timeIntervalSince1970: Double(day) * 86_400).formatted(.iso8601.year().month().day())
    }
    return "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
      + (0..<rows).map { "Habit \($0 % 10),,,\(dates[$0 / 10]),1,\n" }.joined()
  }
}
