import Foundation
import Testing

@testable import CarillonCLI

/// The views on terminals of several widths, with titles in many scripts.
struct TerminalWidthTests {
  private static let titles = [
    "Walk", "🏃‍♀️ Laufen mit Hund 🐕", "薬を飲む（朝と夜）", "לקרוא ספר", "لشرب الماء",
    String(repeating: "A title with all that somebody wanted to remember ", count: 3),
  ]

  private static func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    try await bench.run("settings", "set", "quietHours", "22-7")
    for (index, title) in titles.enumerated() {
      _ = try await bench.addHabit(
        title, "--at", "\(13 + index):00,06:30", "--start", "2026-03-01", "--goal", "3/week")
    }
    _ = try await bench.addHabit("Bag", "--place", "52.52,13.405,200m")
    try await bench.run("done", "Walk", "--note", "a 📝 of 日本語 " + titles[5])
    try await bench.run("skip", "Laufen", "--on", "2026-11-26")
    try await bench.run("plan", "--apply", bench.path("system"))
    try await bench.run("plan", "--apply", bench.path("system"), now: later)
    return bench
  }

  private static let later = "2026-11-23T16:05:00+01:00"

  private func lines(_ bench: Workbench, _ verb: [String], _ columns: UInt16) async throws
    -> [String]
  {
    let terminal = try PseudoTerminal(columns: columns)
    let child = try await bench.start(verb, outputOn: terminal, now: Self.later)
    #expect(try await child.answer().status == 0)
    return try await terminal.printed().split(separator: "\r\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  @Test("A title from right to left leaves the numbers beside it in their order")
  func rightToLeft() async throws {
    let bench = try await Self.bench()
    let week = try await lines(bench, ["week"], 120)
    for title in [Self.titles[3], Self.titles[4]] {
      #expect(week.contains { $0.contains(title + "\u{200E}") }, "\(week)")
    }
    #expect(!week.contains { $0.contains("Walk\u{200E}") }, "\(week)")
    let piped = try await bench.run("week", now: Self.later).output
    #expect(piped.contains(Self.titles[3]) && !piped.contains("\u{200E}"), "\(piped)")
  }

  @Test("Every view fits terminals of 60, 80 and 120 columns, without an empty heading")
  func fits() async throws {
    let bench = try await Self.bench()
    // The legend of Walk is then wider than 60 columns.
    for day in 16...18 { try await bench.run("done", "Walk", "--on", "2026-11-\(day)") }
    for day in ["2026-11-12", "2026-11-13"] { try await bench.run("skip", "Walk", "--on", day) }
    try await bench.run("habit", "pause", "Walk", "--from", "2026-11-09", "--to", "2026-11-09")
    let views = [
      ["today"], [], ["week"], ["habit", "show", "Walk"], ["habit", "show", "Laufen"],
      ["habit", "list"], ["pending"], ["status"], ["receipts", "list"], ["explain", "A title"],
    ]
    for view in views {
      for columns: UInt16 in [60, 80, 120] {
        let lines = try await lines(bench, view, columns)
        #expect(lines.count > 3, "\(view)")
        for line in lines {
          #expect(line.displayWidth <= columns, "\(view) \(columns): \(line)")
        }
      }
    }
    for columns: UInt16 in [60, 80, 120] {
      let receipts = try await lines(bench, ["receipts", "list"], columns)
      #expect(!receipts[0].contains("since") && receipts[0].contains("replica"), "\(receipts)")
    }
  }

  @Test("The columns of today and week are aligned, and no time is broken")
  func aligned() async throws {
    let bench = try await Self.bench()
    for columns: UInt16 in [60, 80, 120] {
      let today = try await lines(bench, ["today"], columns)
      #expect(today.count == 2 + Self.titles.count + 1 + 1, "\(today)")
      for title in ["today", "next reminder"] {
        #expect(isAligned(today.dropFirst().dropLast(), at: title), "\(columns) \(today)")
      }
      let week = try await lines(bench, ["week"], columns)
      #expect(isAligned(week.dropLast(2), at: "Mo 23*"), "\(columns) \(week)")
      #expect(isAligned(week.dropLast(2), at: "done"), "\(columns) \(week)")
    }
  }

  /// Whether every row begins a cell where the first row has a title.
  private func isAligned(_ rows: ArraySlice<String>, at title: String) -> Bool {
    guard let header = rows.first, let found = header.range(of: title) else { return false }
    let column = String(header[..<found.lowerBound]).displayWidth
    return rows.allSatisfy { row in
      var before = ""
      var rest = row[...]
      while before.displayWidth < column, let next = rest.popFirst() { before.append(next) }
      return before.displayWidth == column && before.last == " " && rest.first != " "
    }
  }
}
