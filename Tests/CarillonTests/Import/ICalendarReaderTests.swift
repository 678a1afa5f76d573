import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// The lines and components of iCalendar.
struct ICalendarReaderTests {
  private static func lines(_ bytes: [UInt8]) throws -> [ICalendarLine] {
    var reader = ICalendarReader(bytes, named: "a.ics")
    var lines: [ICalendarLine] = []
    while let line = try reader.next() { lines.append(line) }
    return lines
  }

  @Test(
    "Lines end with CRLF or LF and are counted; blank lines and a byte order mark are skipped")
  func ends() throws {
    let lines = try Self.lines(CSVReader.byteOrderMark + Array("A:1\r\n\r\nb-c:2\nD:".utf8))
    #expect(lines.map(\.name) == ["A", "B-C", "D"])
    #expect(lines.map(\.value) == ["1", "2", ""])
    #expect(lines.map(\.number) == [1, 3, 4])
  }

  @Test("A folded line is joined, even if the fold splits a character or a name")
  func folded() throws {
    let sea = Array("🌊".utf8)
    let cut = Array("A:x".utf8) + sea[..<2] + Array("\r\n ".utf8) + sea[2...]
    let lines = try Self.lines(cut + Array("\n\ty\r\n z\r\nSUMM\r\n ARY:v".utf8))
    #expect(lines.map(\.value) == ["x🌊yz", "v"])
    #expect(lines.map(\.name) == ["A", "SUMMARY"])
    #expect(lines[1].number == 5)
  }

  @Test("A parameter has values, which may be quoted and contain colons, semicolons and commas")
  func parameters() throws {
    let text = #"X;TZID="A:b;c,d";ROLE=one,"two,2";EMPTY=:geo:1;2:3"#
    let line = try #require(try Self.lines(Array(text.utf8)).first)
    #expect(line["TZID"] == "A:b;c,d")
    #expect(line.parameters.map(\.values) == [["A:b;c,d"], ["one", "two,2"], [""]])
    #expect(line.value == "geo:1;2:3")
  }

  @Test("Escapes in texts are removed")
  func escapes() {
    #expect(#"a\nb\Nc\,d\;e\\nf\x\"#.calendarText == "a\nb\nc,d;e\\nf\\x\\")
  }

  @Test(
    "Durations are read as seconds",
    arguments: [
      ("PT15M", 900), ("-PT15M", -900), ("+P1DT2H3M4S", 93_784), ("P2W", 1_209_600),
      ("-P0DT0H30M0S", -1_800), ("P1D", 86_400), ("PT0S", 0),
    ])
  func durations(text: String, seconds: Int) {
    #expect(Int(calendarDuration: text) == seconds)
  }

  @Test(
    "Text that is not a duration is refused",
    arguments: ["", "P", "PT", "15M", "PT15", "P1M", "PT1M2H", "PT1.5H", "--PT1M", "PT9999999999S"])
  func noDurations(text: String) {
    #expect(Int(calendarDuration: text) == nil)
  }

  @Test(
    "Malformed content is refused with its line",
    arguments: [
      ("", "contains no calendar"), ("no calendar\r\n", "line 1 is not a calendar line"),
      ("A:1\r\n", "line 1 is not BEGIN:VCALENDAR"),
      ("BEGIN:VCALENDAR\r\n", "line 1 starts a VCALENDAR that does not end"),
      ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1", "line 2 starts a VEVENT that does not end"),
      ("BEGIN:VCALENDAR\nEND:VEVENT\n", "line 2 ends VEVENT, but the VCALENDAR of line 1 is open"),
      (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nBEGIN:VALARM\nEND:VEVENT\n",
        "line 4 ends VEVENT, but the VALARM of line 3 is open"
      ),
      ("BEGIN:VCALENDAR\nA;B:1\n", "line 2 has a parameter of A that is not NAME=value"),
      ("BEGIN:VCALENDAR\nA;B=\"c:1\n", "line 2 has a parameter of A"),
      ("BEGIN:VCALENDAR\nA;B=\"c\"d:1\n", "line 2 has no colon after the parameters of A"),
      ("BEGIN:VCALENDAR\nA=1\n", "line 2 is not a calendar line such as SUMMARY:Lunch: A=1"),
      ("BEGIN:VCALENDAR\n:1\n", "line 2 is not a calendar line"),
      ("BEGIN:VCALENDAR\nA:x\u{0}y\n", "line 2 has a NUL byte"),
      ("BEGIN:VCALENDAR\nA:x\ry\n", "line 2 has a carriage return without a line feed"),
    ])
  func broken(text: String, says: String) throws {
    #expect {
      _ = try ICalendar(Array(text.utf8), named: "a.ics")
    } throws: {
      ($0 as? StoreError)?.message.hasPrefix("a.ics \(says)") == true
    }
  }

  @Test("Bytes that are not UTF-8 are refused with their line")
  func encoding() {
    #expect {
      _ = try ICalendar(Array("BEGIN:VCALENDAR\nA:".utf8) + [0xE9], named: "a.ics")
    } throws: {
      ($0 as? StoreError)?.message == "a.ics line 2 is not UTF-8"
    }
  }

  @Test("A line that is too long, a component that is too deep, and too many parts are refused")
  func limits() {
    let long = "A:" + String(repeating: "x", count: ICalendarReader.maxLineBytes)
    let deep = (0..<10).map { _ in "BEGIN:X" }
    let parts = ["BEGIN:X"] + (0...ICalendarComponents.maxPartCount).map { "A\($0):1" } + ["END:X"]
    let events = (0...ICalendarComponents.maxCount).map { _ in "BEGIN:X\nEND:X" }
    let many = "A" + String(repeating: ";B=1", count: 65) + ":1"
    for (lines, says) in [
      ([long], "line 4 has more than 1048576 bytes"),
      ([long.prefix(600_000) + "\n " + long.prefix(600_000)], "line 4 has more than 1048576 bytes"),
      (deep, "line 11 starts a component within more than 7 others"),
      (parts, "line 5005 exceeds 5000 lines in the component that starts on line 4"),
      (events, "line 200004 exceeds 100000 components"),
      ([many], "line 4 has more than 64 parameters"),
    ] {
      #expect("\(says)") {
        let text = CalendarSamples.text(lines.map { String($0) })
        _ = try ICalendar(Array(text.utf8), named: "a.ics")
      } throws: {
        ($0 as? StoreError)?.message.hasPrefix("a.ics \(says)") == true
      }
    }
  }

  @Test("A randomly changed calendar is read or refused")
  func changed() {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var bytes = Array(
        [CalendarSamples.google, CalendarSamples.apple].randomElement(using: &random)!.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + 40))
        }
      }
      do {
        let calendar = try ICalendar(bytes, named: "a.ics")
        for schedule in calendar.habits.flatMap(\.schedules) {
          try ScheduleSet(habit: .zero, schedule: schedule).validate()
        }
      } catch {
        #expect(error is StoreError, "seed \(seed): \(error)")
      }
    }
  }
}
