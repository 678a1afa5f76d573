import Carillon
import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

/// Input that the command line refuses, with the documented exit code and the limit, and without
/// writing anything.
struct BadInputTests {
  /// A call that is refused.
  private struct Case {
    let arguments: [String]
    var input = ""
    let status: Int32
    /// The texts that the error must contain.
    let says: [String]

    init(_ arguments: String..., input: String = "", status: Int32 = 65, says: String...) {
      self.arguments = arguments
      self.input = input
      self.status = status
      self.says = says
    }
  }

  /// Runs each case, and expects a refusal and an unchanged log.
  private func refuse(_ cases: [Case], _ bench: Workbench) async throws {
    let before = try await bench.log()
    for item in cases {
      let answer = try await bench.start(item.arguments, input: item.input).answer()
      let place: Comment = "\(item.arguments) \(answer)"
      #expect(!answer.wasSignalled && answer.status == item.status, place)
      #expect(answer.output.isEmpty, place)
      #expect(answer.errors.hasPrefix("error: ") && answer.errors.contains("\nhint: "), place)
      for text in item.says { #expect(answer.errors.contains(text), place) }
    }
    #expect(try await bench.log() == before)
  }

  @Test("An argument that is not UTF-8 is refused, and names no other file")
  func notUTF8() async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startShell(
      #"cd "$(dirname "$CARILLON_STORE")" || exit"# + "\n"
        + #""$CARILLON" init --replica a --store "$(printf 'x\377')""#
    ).answer()
    #expect(answer.status == 64, "\(answer)")
    #expect(answer.errors.contains("argument 5") && answer.errors.contains("UTF-8"), "\(answer)")
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.path(""))
    #expect(!names.contains { $0.hasPrefix("x") }, "\(names)")
  }

  @Test(
    "An invisible title is refused with the limit, but accepted from a peer",
    arguments: ["  ", "\u{200B}\u{2060}", "\u{3000}\t", "\u{FE0F}", "\u{202E}"])
  func invisibleTitle(title: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Walk")
    let before = try await bench.log()
    for arguments in [["habit", "add", title], ["habit", "edit", "Walk", "--title", title]] {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == 65 && answer.errors.contains("from 1 to 200 bytes"), "\(answer)")
    }
    let line = #"{"type":"habit.created","habit":"00000000-0000-0000-0000-000000000001","title":""#
    let escaped = JSON.text(title).line.dropFirst().dropLast()
    let appended = try await bench.run("append", input: line + escaped + "}\n")
    #expect(appended.status == 65, "\(appended)")
    #expect(try await bench.log() == before)
    let made = try await bench.start(["init", "--replica", title], store: "new").answer()
    #expect(made.status == 65 && made.errors.contains("1 to 64 bytes"), "\(made)")
    try Payload.habitCreated(
      HabitFields(habit: HabitID(high: 0, low: 1), values: [.title: .text(title)])
    ).validate()
  }

  @Test("A value out of range is refused with its name and limit")
  func values() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let long = String(repeating: "x", count: 201)
    try await refuse(
      [
        Case("habit", "add", long, says: "title", "201 bytes", "200"),
        Case("habit", "edit", "Walk", "--title", long, says: "title", "201 bytes", "200"),
        Case("habit", "add", "", says: "title", "from 1 to 200 bytes"),
        Case(
          "habit", "add", "A", "--fixed-zone", "Mars/Base", status: 64, says: "--fixed-zone",
          "Mars/Base"),
        Case("habit", "add", "A", "--at", "25:00", status: 64, says: "--at", "25:00", "23:59"),
        Case("habit", "add", "A", "--at", "07:30,", status: 64, says: "--at"),
        Case("habit", "add", "A", "--on", "", "--at", "10:00", status: 64, says: "--on", "weekday"),
        Case("habit", "add", "A", "--on", "mon,xyz", status: 64, says: "--on", "xyz"),
        Case(
          "habit", "add", "A", "--every", "0d", status: 64, says: "--every", "1d to 3650d",
          "hint: give "),
        Case(
          "settings", "set", "nosuch", "3", status: 64, says: "there is no setting \"nosuch\"",
          "quietHours"),
        Case(
          "habit", "add", "A", "--once", "2026-02-30T10:00", status: 64, says: "--once",
          "2026-02-30"),
        Case("habit", "add", "A", "--goal", "0/7d", status: 64, says: "--goal"),
        Case("habit", "add", "A", "--goal", "4", status: 64, says: "4/day"),
        Case("habit", "add", "A", "--target", "0", status: 64, says: "--at-most 0"),
        Case(
          "habit", "add", "A", "--target", "1.2345", status: 64, says: "--target", "three decimal"),
        Case("habit", "add", "A", "--owner", "cat", status: 64, says: "--owner", "phoneFirst"),
        Case("habit", "add", "A", "--unless", "rain", status: 64, says: "--unless", "rain"),
        Case("habit", "add", "A", "--data", "novalue", "--at", "10:00", status: 64, says: "--data"),
        Case("done", "Walk", "--on", "2026-02-30", status: 64, says: "--on", "2026-02-30"),
        Case("done", "Walk", "--on", "2201-01-01", status: 64, says: "--on", "2200-12-31"),
        Case("done", "Walk", "--on", "1969-12-31", status: 64, says: "--on", "1970-01-01"),
        Case("done", "Walk", "--amount", "-1", status: 64, says: "--amount", "-1"),
        Case("pending", "--limit", "-1", status: 64, says: "limit", "-1", "0 to 10000"),
        Case("pending", "--limit", "10001", status: 64, says: "limit", "10001", "0 to 10000"),
        Case("pending", "--days", "0", status: 64, says: "days", "1 to 400"),
        Case("pending", "--days", "401", status: 64, says: "days", "1 to 400"),
        Case("log", "--after", "x", status: 64, says: "--after", "\"x\""),
        Case("permission", "grant", "--options", "alert,smell", status: 64, says: "smell"),
      ], bench)
    for now in ["0001-01-01T00:00", "9999-12-31T00:00Z"] {
      let answer = try await bench.run("today", now: now)
      #expect(answer.status == 64 && answer.errors.contains("--now"), "\(answer)")
    }
  }

  @Test("A name that matches nothing, or more than one thing, is refused")
  func names() async throws {
    let bench = try await Workbench.withStore()
    let ids = [
      try await bench.addHabit("Walk"), try await bench.addHabit("Walk", "--again"),
    ]
    try await refuse(
      [
        Case("done", "Walk", says: ids[0], ids[1], "2 habits"),
        Case("habit", "show", "Walk", says: ids[0], ids[1]),
        Case("done", "Nobody", status: 66, says: "Nobody"),
        Case("done", String(ids[0].prefix(3)), status: 66, says: "no habit"),
        Case("schedule", "remove", "abcd", status: 66, says: "abcd"),
        Case("show", "phone@999", status: 66, says: "phone@999"),
        Case("show", "nonsense", says: "nonsense"),
        Case("append", bench.path("none.ndjson"), status: 66, says: "none.ndjson"),
        Case("append", bench.path(""), status: 66, says: "is a directory"),
        Case(
          "status", "--store", bench.path("none"), status: 66, says: "at \(bench.path("none"))\n"),
        Case("status", "--store", "not/here", status: 66, says: "no store at not/here\n"),
        Case("diff", bench.path("phone"), "none", status: 66, says: "no store at none\n"),
        Case("status", "--store", bench.path(""), status: 66, says: "no store"),
        Case("sync", bench.path("none"), status: 66, says: "none"),
        Case("habit", "pause", status: 64, says: "--all"),
        Case("sync", status: 64, says: "joined no service", "carillon join LINK"),
        Case("sync", "--store", "not/here", status: 66, says: "no store at not/here\n"),
        Case(
          "access", "list", "--store", "not/here", "--at", "https://h", status: 66,
          says: "no store at not/here\n"),
        Case("access", "list", "--at", "https://h", status: 77, says: "no credential"),
      ], bench)
  }

  @Test("A byte order mark may precede the first line, and no other")
  func byteOrderMark() async throws {
    let bench = try await Workbench.withStore()
    let lines = bench.entries(of: try await bench.addHabit("Walk"), count: 2)
      .split(separator: "\n").map { "\u{FEFF}\($0)\n" }
    #expect(try await bench.json("append", input: lines[0])["appended"]?.number == 1)
    try await refuse(
      [Case("append", input: lines[0] + lines[1], says: "standard input line 2")], bench)
  }

  @Test("A line that is no event is refused with its number, and nothing is appended")
  func lines() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk")
    let good = #"{"type":"entry.recorded","habit":"\#(habit)","date":"2026-02-20"}"# + "\n"
    let title = String(repeating: "x", count: 201)
    let bad: [(line: String, says: [String])] = [
      (#"{"type":"entry.rec"#, ["not valid JSON"]),
      (#"{"type":"entry.recorded","habit":"\#(habit)","date":"2026-02-30"}"#, ["date", "02-30"]),
      (#"{"type":"nosuch.kind"}"#, ["type", "nosuch.kind", "habit.created"]),
      ("[1,2]", ["object"]),
      (#"{"type":"entry.recorded","habit":"x","date":"2026-02-20"}"#, ["habit", "UUID"]),
      (#"{"type":"habit.created","habit":"\#(habit)","title":"\#(title)"}"#, ["title", "200"]),
      (#"{"type":"habit.created","habit":"\#(habit)","title":"a"} more"#, ["unexpected text"]),
      (String(repeating: "[", count: 100_000), ["levels"]),
      (String(repeating: "x", count: 1_100_000), ["1048576 bytes"]),
      (#"{"type":"receipt.recorded"}"#, ["receipt.recorded"]),
    ]
    let file = bench.path("events.ndjson")
    var cases: [Case] = []
    let before = try await bench.log()
    for (index, item) in bad.enumerated() {
      // The line is the fourth: blank lines count.
      let path = try bench.write(good + "\n" + good + item.line, to: "bad\(index).ndjson")
      let answer = try await bench.run("append", path)
      #expect(answer.status == 65, "\(item.line.prefix(100)) \(answer)")
      for text in item.says + ["bad\(index).ndjson line 4"] {
        #expect(answer.errors.contains(text), "\(answer)")
      }
    }
    #expect(try await bench.log() == before)
    cases.append(Case("append", input: good + "{\n", says: "standard input line 2"))
    try bench.write(good + "{", to: "events.ndjson")
    cases.append(Case("import", file, says: "events.ndjson line 1"))
    try await refuse(cases, bench)
  }

  @Test("An exported event that was changed or whose predecessor is missing is refused")
  func imports() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let lines = try await bench.run("export").output.split(separator: "\n").map(String.init)
    let storeID = try #require(try await bench.json("status")["store"]?.text)
    try await bench.make("other", storeID: storeID)
    let before = try await bench.log("other")
    let missing = try bench.write(lines.dropFirst().joined(separator: "\n"), to: "missing.ndjson")
    let cut = try bench.write(lines[0].dropLast(10) + "\n", to: "cut.ndjson")
    var changed = lines
    changed[1] = try #require(
      lines[1].range(of: #""payload":""#).map {
        lines[1].replacingCharacters(in: $0.upperBound..<lines[1].endIndex, with: #"CAE="}"#)
      })
    let forged = try bench.write(changed.joined(separator: "\n"), to: "forged.ndjson")
    for (path, place) in [
      (missing, "missing.ndjson line 1"), (cut, "cut.ndjson line 1"),
      (forged, "forged.ndjson line"),
    ] {
      let answer = try await bench.run("import", path, store: "other")
      #expect(answer.status == 65 && answer.errors.contains(place), "\(answer)")
      #expect(try await bench.log("other") == before)
    }
  }

  @Test("Unknown verbs and flags are usage errors, in JSON too")
  func usage() async throws {
    let bench = try await Workbench.withStore()
    try await refuse(
      [
        Case("nosuch", status: 64, says: "nosuch"),
        Case("status", "--nosuch", status: 64, says: "--nosuch"),
        Case("done", status: 64, says: "habit"),
        Case("note", "Walk", status: 64, says: "text"),
        Case("plan", status: 64, says: "--against"),
        Case("alerts", "maybe", status: 64, says: "maybe"),
        Case("rebuild", "--check", "--until", "2026-01-01T00:00", status: 64, says: "--until"),
        Case("habit", "add", "A", "--on", "mon", "--every", "3d", status: 64, says: "--every"),
        Case("habit", "add", "A", "--from", "2026-01-01", status: 64, says: "--every"),
        Case("habit", "edit", "A", "--title", "none", status: 64, says: "title"),
        Case("sync", "a", "b", "c", status: 64, says: "takes one peer"),
        Case("sync", "https://example.org", status: 77, says: "no credential"),
      ], bench)
    for arguments in [
      ["nosuch", "--json"], ["--json", "status", "--nosuch"], ["status", "--now", "--json"],
      ["done", "Nobody", "--json"], ["status", "--json", "--now", "garbage"],
      ["status", "--json", "--zone", "Mars/Base"], ["--json", "clone"],
    ] {
      let answer = try await bench.startPlain(arguments).answer()
      #expect([64, 65, 66].contains(answer.status) && answer.output.isEmpty, "\(answer)")
      #expect(answer.errors.hasSuffix("\n"), "\(answer)")
      let error = try #require(try Document(json: answer.errors)["error"], "\(answer)")
      for key in ["code", "message", "hint"] { #expect(error[key]?.text?.isEmpty == false) }
    }
    let homeless = try await bench.startPlain(["status"], store: nil).answer()
    #expect(homeless.status == 64 && homeless.errors.contains("CARILLON_STORE"), "\(homeless)")
  }

  @Test("With a clock in the year 4000, nothing can be written, but everything read")
  func clock() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let before = try await bench.log()
    let late = "4000-01-01T00:00:00Z"
    for verb in [["done", "Walk"], ["habit", "add", "A"], ["active"], ["permission", "ask"]] {
      let answer = try await bench.start(verb, now: late).answer()
      #expect(answer.status == 65 && answer.errors.contains("clock"), "\(verb) \(answer)")
    }
    let made = try await bench.run("init", "--replica", "late", store: "late", now: late)
    #expect(made.status == 65 && made.errors.contains("clock"), "\(made)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("late")))
    #expect(try await bench.log() == before)
    #expect(try await bench.run("status", now: late).status == 0)
    #expect(try await bench.run("pending", now: late).status == 0)
    for verb in [["pending"], ["status"], ["done", "Walk"]] {
      let answer = try await bench.start(verb, now: "5000-01-01T00:00:00Z").answer()
      #expect(answer.status == 64 && answer.errors.contains("4195-12-02"), "\(verb) \(answer)")
    }
    for date in ["2201-01-01", "2999-12-31"] {
      for verb in [["done", "Walk"], ["active"], ["habit", "add", "A", "--every", "3d"]] {
        let answer = try await bench.start(verb, now: date + "T00:00:00Z").answer()
        #expect(answer.status == 65 && answer.errors.contains("2200-12-31"), "\(verb) \(answer)")
        #expect(answer.errors.contains("the clock shows"), "\(verb) \(answer)")
      }
      for verb in [["pending"], ["explain", "Walk"], ["habit", "show", "Walk"]] {
        let answer = try await bench.start(verb, now: date + "T00:00:00Z").answer()
        #expect(answer.status == 0, "\(verb) \(answer)")
      }
    }
    #expect(try await bench.log() == before)
    let garbage = try await bench.run("status", now: "someday")
    #expect(garbage.status == 64 && garbage.errors.contains("--now"), "\(garbage)")
  }

  @Test("A malformed list of the system's requests is refused with the place")
  func lists() async throws {
    let bench = try await Workbench.withStore()
    let lists = [
      (#"{"pending":[{"id":"a"},{"id":5}]}"#, "item 2 has no text"),
      (#"{"pending":"#, "byte 12"), (#"{"x":1}"#, "expected a list"), ("", "byte 1"),
      (#"[{"id":"x"},{}]"#, "item 2 has no text"), ("7", "expected a list"),
      (#"[{"id":"c1.x","fingerprint":7}]"#, "of item 1 is a number"),
    ]
    for (index, list) in lists.enumerated() {
      let path = try bench.write(list.0, to: "list\(index).json")
      let answer = try await bench.run("plan", "--against", path)
      #expect(answer.status == 65 && answer.errors.contains(list.1), "\(list) \(answer)")
      #expect(answer.errors.contains("list\(index).json"), "\(answer)")
    }
  }
}
