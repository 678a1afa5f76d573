import Carillon
import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

struct OutputTests {
  @Test(
    "Text is measured in terminal columns",
    arguments: [
      ("abc", 3), ("", 0), ("\u{E4}", 1), ("a\u{308}", 1), ("日本", 4), ("👩‍👩‍👧", 2), ("☕️", 2),
      ("\u{200B}", 0), ("한", 2),
    ])
  func displayWidth(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test("Text is cut to a number of columns, with an ellipsis")
  func truncated() {
    #expect("abcdef".truncated(to: 6) == "abcdef")
    #expect("abcdef".truncated(to: 4) == "abc…")
    #expect("日本語".truncated(to: 4) == "日…")
    #expect("abc".truncated(to: 1) == "…")
    #expect("abc".truncated(to: 0) == "")
  }

  @Test("Columns are aligned, and shrink on a narrow terminal")
  func table() {
    var table = Table([
      .init(title: "name", canShrink: true), .init(title: "n", alignment: .right),
      .init(title: "last"),
    ])
    table.add(["日本", "1", "x"])
    table.add(["a longer name", "100", ""])
    #expect(
      table.rendered(on: .none) == """
        name             n  last
        日本             1  x
        a longer name  100

        """)
    let narrow = table.rendered(on: Terminal(width: 20, hasStyles: false))
    #expect(narrow.contains("a longer n… 100"))
    #expect(narrow.split(separator: "\n").allSatisfy { String($0).displayWidth <= 20 })
  }

  @Test("A narrow terminal loses IDs before titles, and a pipe aligns rows of every title")
  func narrowTable() {
    var table = Table([
      .init(title: "when"), .init(title: "reminder", canShrink: true), .init(title: "replica"), .id,
    ])
    let title = "A run with 🐕, 日本語 and rain"
    let long = String(repeating: "Long title ", count: 10)
    for name in ["Walk", title, "قراءة كتاب", long] {
      table.add(["Mon 23 Nov 17:00", .init(name), "phone", "c1.abcdefghijklmnop"])
    }
    func lines(_ width: Int?) -> [String] {
      table.rendered(on: width.map { Terminal(width: $0, hasStyles: false) } ?? .none)
        .split(separator: "\n").map(String.init)
    }
    for width in [40, 60, 80, 120] {
      #expect(lines(width).allSatisfy { $0.displayWidth <= width }, "\(width) \(lines(width))")
      #expect(lines(width).allSatisfy { $0.contains("phone") != $0.contains("replica") })
      #expect(lines(width)[1].contains("c1.") == (width >= 80), "\(width) \(lines(width))")
      #expect(lines(width)[2].contains(title) == (width >= 60), "\(width) \(lines(width))")
    }
    // Nothing is cut in a pipe.
    #expect(lines(nil)[4].contains(long.dropLast()) && lines(nil)[4].contains("phone    c1."))
    #expect(
      lines(nil).dropFirst().allSatisfy { $0.displayWidth == lines(nil)[4].displayWidth },
      "\(lines(nil))")
    // Only the row of a text that is longer than any title moves.
    table.add(["Mon 23 Nov 17:00", .init(String(repeating: "x", count: 1_000)), "phone", "c1.abc"])
    #expect(lines(nil)[1].displayWidth == 16 + 2 + 200 + 2 + 7 + 2 + 19, "\(lines(nil))")
  }

  @Test("A terminal shows no empty column that can be left out, and a pipe shows all")
  func emptyColumns() {
    var table = Table([
      .init(title: "when"), .init(title: "Sa 28"), .init(title: "note", wraps: true), .id,
    ])
    table.add(["Mon 23 Nov", "", "", ""])
    let lines = [Terminal(width: 80, hasStyles: false), .none].map { terminal in
      table.rendered(on: terminal).split(separator: "\n").map(String.init)
    }
    #expect(lines[0] == ["when        Sa 28", "Mon 23 Nov"])
    #expect(lines[1] == ["when        Sa 28  note  id", "Mon 23 Nov"])
  }

  @Test("Progress fits its line, and never divides by zero")
  func progress() {
    let half = ProgressText(
      label: "rebuilding", unit: "events", done: 12_000, total: 24_000, elapsed: .seconds(2))
    let text = half.rendered(width: 100)
    #expect(text.contains("50%  12,000 of 24,000 events  6,000/s  2 s left"))
    #expect(text.displayWidth <= 100)
    #expect(half.rendered(width: 20).displayWidth <= 20)
    for total in [nil, 0, 1, UInt64.max] as [UInt64?] {
      for done in [0, 5, UInt64.max] as [UInt64] {
        let text = ProgressText(
          label: "x", unit: "events", done: done, total: total, elapsed: .seconds(1))
        #expect(text.rendered(width: 60).displayWidth <= 60)
        let start = ProgressText(
          label: "x", unit: "events", done: done, total: total, elapsed: .zero)
        #expect(start.rendered(width: 60).displayWidth <= 60)
      }
    }
  }
}
