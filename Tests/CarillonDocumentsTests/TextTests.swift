import CarillonDocuments
import CarillonModel
import Foundation
import Testing

/// Texts, times and JSON, as every document has them.
struct TextTests {
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
    "A text that repeats an argument shows no password",
    arguments: [
      ("'postgres://u:secret@h/db', 'x'", "'postgres://u:...@h/db', 'x'"),
      ("postgres://u:se/c@ret@h:5432/db", "postgres://u:...@h:5432/db"),
      ("postgres://:secret@h", "postgres://:...@h"),
      ("'host=h Password=secret'", "'host=h Password=...'"),
      ("https://h/x?password=secret&a=b", "https://h/x?password=...&a=b"),
      ("ssh://u@h:22/store", "ssh://u@h:22/store"), ("https://h:8787/", "https://h:8787/"),
    ])
  func passwords(text: String, shown: String) {
    #expect(text.withoutPasswords == shown)
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
    #expect(try JSON(parsing: Array(json.dropLast().utf8)) == .text("a\(text)b"))
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
    guard case .object(let read) = try JSON(parsing: Array(document.description.utf8)) else {
      Issue.record("\(document) is no object")
      return
    }
    #expect(read["b"] == .text("a\"\\\n\u{1}\u{7F}ä👍"))
  }
}
