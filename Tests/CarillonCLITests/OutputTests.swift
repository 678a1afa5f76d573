import Carillon
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

  @Test("Printed text cannot move the cursor or change the direction of text")
  func printable() {
    #expect("a\u{1B}[2Jb".printable == #"a\u{1b}[2Jb"#)
    #expect("a\nb\tc".printable == "a b c")
    #expect("a\u{202E}b\u{9B}".printable == #"a\u{202e}b\u{9b}"#)
    #expect("plain ä".printable == "plain ä")
    #expect("\"a\u{9B}\u{202E}ä\u{7F}\"".withoutControls == "\"a\\u009b\\u202eä\\u007f\"")
    #expect("a\n\u{85}".escapingObeyed == "a\n\\u{85}")
  }

  @Test(
    "Invisible characters and line ends are escaped, without a change of meaning in JSON",
    arguments: [
      "\u{200B}", "\u{200E}", "\u{200F}", "\u{61C}", "\u{2028}", "\u{2029}", "\u{2060}", "\u{FEFF}",
      "\u{AD}", "\u{2066}", "\u{202A}", "\u{85}", "\u{E0041}", "\u{200D}", "\u{FFF9}",
    ])
  func obeyed(text: String) throws {
    let json = JSON.text("a\(text)b").line
    for shown in ["a\(text)b".printable, json] {
      #expect(shown.utf8.allSatisfy { $0 < 0x7F }, "\(shown)")
    }
    #expect(try Document(json: json).text == "a\(text)b")
  }

  @Test(
    "Invisible characters that scripts and emoji need are kept",
    arguments: [
      "👩‍👩‍👧", "☕️", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "می‌روم", "क्‍ष",
      "한",
      "e\u{301}",
    ])
  func kept(text: String) {
    #expect(text.printable == text && text.withoutControls == text)
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

  @Test("A narrow terminal loses IDs before titles, and a pipe pads no row to the longest title")
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
    // Nothing is cut in a pipe, and only the row of the long title is longer.
    #expect(lines(nil)[4].contains(long.dropLast()) && lines(nil)[4].contains("phone    c1."))
    #expect(lines(nil)[1].displayWidth == 16 + 2 + 40 + 2 + 7 + 2 + 19, "\(lines(nil))")
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

  @Test("Numbers are grouped by three")
  func grouped() {
    #expect(
      [0, 999, 1_000, 1_234_567, -1_000].map(\.grouped)
        == [
          "0", "999", "1,000", "1,234,567", "-1,000",
        ])
  }

  @Test("Instants are formatted in the time zone")
  func localTime() throws {
    let noon = Instant(milliseconds: 1_795_431_600_000)
    func time(_ zone: String) throws -> LocalTime {
      LocalTime(zone: try #require(TimeZone(identifier: zone)), now: noon)
    }
    #expect(try time("Europe/Berlin").rfc3339(noon) == "2026-11-23T12:00:00+01:00")
    #expect(try time("Etc/UTC").rfc3339(noon) == "2026-11-23T11:00:00Z")
    #expect(try time("America/St_Johns").rfc3339(noon) == "2026-11-23T07:30:00-03:30")
    #expect(try time("Etc/UTC").rfc3339(Instant(milliseconds: 5)) == "1970-01-01T00:00:00.005Z")
    #expect(try time("Etc/UTC").rfc3339(Instant(milliseconds: -1)) == "1969-12-31T23:59:59.999Z")
    #expect(try time("Europe/Berlin").text(noon) == "Mon 23 Nov 12:00")
    #expect(try time("Europe/Berlin").text(Instant(milliseconds: 0)) == "Thu 1 Jan 1970 01:00")
    let berlin = try time("Europe/Berlin")
    #expect(berlin.distance(to: Instant(milliseconds: noon.milliseconds + 60_000)) == "in 1 min")
    for (minutes, text) in [
      (59, "in 59 min"), (60, "in 1 h"), (61, "in 1h 1m"), (120, "in 2 h"),
      (179, "in 2h 59m"), (180, "in 3 h"), (239, "in 3 h"), (1439, "in 23 h"), (1440, ""),
    ] {
      let later = Instant(milliseconds: noon.milliseconds + Int64(minutes) * 60_000)
      #expect(berlin.distance(to: later) == text, "\(minutes) minutes")
    }
    #expect(berlin.distance(to: noon) == "")
    // No instant that an event can have crashes the process.
    for milliseconds in [Int64.min, .max] {
      #expect(berlin.text(Instant(milliseconds: milliseconds)).isEmpty == false)
    }
  }

  @Test("JSON keeps the order of members, and escapes what it must")
  func json() throws {
    let document: JSON = [
      "b": .text("a\"\\\n\u{1}\u{7F}ä👍"), "a": [.bool(true), .null, .integer(UInt64.max)],
      "n": .number(0.0005), "m": .number(-1.25), "x": .number(.infinity), "e": [:],
    ]
    #expect(
      document.description
        == #"{"b":"a\"\\\n\u0001\#u{7F}ä👍","a":[true,null,9223372036854775807],"#
        + #""n":0.001,"m":-1.250,"x":null,"e":{}}"#)
    let text = try #require(try Document(json: document.description)["b"]?.text)
    #expect(text == "a\"\\\n\u{1}\u{7F}ä👍")
  }
}
