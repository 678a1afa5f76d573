import Foundation
import Testing

/// Which dates the verbs report as due; today is a Monday.
struct DueDayCommandTests {
  private static let timed = "DTSTART:20261103T090000\nRRULE:FREQ=WEEKLY;BYDAY=TU"

  @Test("habit show counts only the dates of a timed rule and of a relative schedule as due")
  func adherence() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Class", "--rrule", Self.timed, "--start", "2026-11-01")
    _ = try await bench.addHabit(
      "Bus", "--before", "10m", "--on", "tue", "--at", "09:00", "--start", "2026-11-01")
    for title in ["Class", "Bus"] {
      try await bench.run("done", title, "--on", "2026-11-10")
      try await bench.run("done", title, "--on", "2026-11-17")
      let adherence = try await bench.json("habit", "show", title)["adherence"]
      #expect(adherence?["streak"]?.number == 2, "\(title)")
      #expect(adherence?["months"]?.list.last?["due"]?.number == 3, "\(title)")
      #expect(
        adherence?["weeks"]?.list.compactMap { $0["due"]?.number }.suffix(4) == [1, 1, 1, 0],
        "\(title)")
    }
  }

  @Test("habit list reports a habit as open, not due, reached or paused")
  func today() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Class", "--rrule", Self.timed)
    _ = try await bench.addHabit("Walk", "--on", "mon", "--at", "09:00")
    _ = try await bench.addHabit("Later", "--start", "2026-12-01")
    _ = try await bench.addHabit("Twice", "--goal", "2/7d")
    _ = try await bench.addHabit("Water", "--target", "8", "--on", "mon,tue", "--at", "09:00")
    try await bench.run("done", "Twice", "--on", "2026-11-20")
    try await bench.run("done", "Twice", "--on", "2026-11-21")
    func today(_ now: String = Workbench.now) async throws -> [String: String] {
      let habits = try await bench.json("habit", "list", now: now)["habits"]?.list ?? []
      return Dictionary(
        uniqueKeysWithValues: habits.map { ($0["title"]?.text ?? "", $0["today"]?.text ?? "") })
    }
    #expect(
      try await today() == [
        "Class": "none", "Walk": "open", "Later": "none", "Twice": "none", "Water": "open",
      ])
    #expect(
      try await today("2026-11-24T12:00:00+01:00") == [
        "Class": "open", "Walk": "none", "Later": "none", "Twice": "none", "Water": "open",
      ])
    let table = try await bench.run("habit", "list").output
    #expect(table.contains("Class  not due") && table.contains("Walk   open"), "\(table)")
    #expect(table.contains("Water  0/8"), "\(table)")
    try await bench.run("habit", "pause", "--all")
    #expect(try await today()["Walk"] == "paused")
    let paused = try await bench.run("habit", "list").output
    #expect(paused.contains("All habits are paused until resumed."), "\(paused)")
    #expect(paused.contains("carillon habit resume --all"), "\(paused)")
    let resumed = try await bench.run("habit", "resume", "Walk").output
    #expect(resumed.contains("carillon habit resume --all"), "\(resumed)")
    #expect(try await bench.run("habit", "resume", "--all").output == "Resumed all habits.\n")
    #expect(!(try await bench.run("habit", "list").output.contains("paused")))
  }

  @Test("If nothing is pending, pending says why the next reminders do not fire")
  func waiting() async throws {
    let bench = try await Workbench.withStore()
    let empty = try await bench.run("pending").output
    #expect(empty.contains("Add a habit"), "\(empty)")
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    _ = try await bench.addHabit("Read", "--on", "thu", "--at", "17:00", "--unless", "done")
    _ = try await bench.addHabit("Past", "--once", "2026-11-23T18:00")
    let later = "2026-12-02T12:00:00+01:00"
    let waiting = try await bench.run("pending", now: later).output
    let why =
      "stopped since Tue 1 Dec: nothing was recorded for 7 days, last on Mon 23 Nov; to resume: "
      + "carillon active"
    for next in ["Wed 2 Dec 17:00  Walk", "Thu 3 Dec 17:00  Read"] {
      #expect(waiting.contains("\(next)      \(why)\n"), "\(waiting)")
    }
    #expect(waiting.hasPrefix("Nothing is pending.\n") && !waiting.contains("Past"), "\(waiting)")
    try await bench.run("active", now: later)
    #expect(try await bench.run("pending", now: later).output.contains("Walk"))
  }

  @Test("pending --days lists what fires within these days, repeated or not")
  func days() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Work", "--on", "mon-fri", "--at", "07:30")
    _ = try await bench.addHabit("Dentist", "--once", "2026-11-24T09:00")
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    func titles(_ days: String) async throws -> [String]? {
      try await bench.json("pending", "--days", days)["pending"]?.list.compactMap {
        $0["title"]?.text
      }
    }
    #expect(try await titles("1") == ["Walk"])
    #expect(try await titles("2") == ["Walk", "Work", "Dentist"])
  }

  @Test("Warnings are in the answer of --json too")
  func warnings() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let future = try await bench.json("done", "Walk", "--on", "2026-12-24")
    #expect(future["warnings"]?[0]?.text?.contains("is in the future") == true, "\(future)")
    #expect(try await bench.json("done", "Walk")["warnings"] == nil)
    try await bench.run("habit", "delete", "Walk")
    for verb in ["done", "skip", "undo"] {
      let deleted = try await bench.json(verb, "Walk")
      #expect(deleted["warnings"]?[0]?.text?.contains("is deleted") == true, "\(verb): \(deleted)")
    }
  }

  @Test("A quota that can never be met as written gets a warning")
  func quota() async throws {
    let bench = try await Workbench.withStore()
    let add = ["habit", "add", "Walk", "--again", "--at", "17:00", "--quota"]
    func warnings(_ arguments: [String]) async throws -> [String] {
      let answer = try await bench.start(arguments + ["--json"]).answer().document()
      return answer["warnings"]?.list.compactMap(\.text) ?? []
    }
    #expect(try await warnings(add + ["2/day"]).first?.contains("--target 2") == true)
    #expect(try await warnings(add + ["9/week"]).first?.contains("at most 7") == true)
    #expect(try await warnings(add + ["4/3d"]).first?.contains("at most 3") == true)
    for fine in [["1/day"], ["7/week"], ["31/month"], ["2/day", "--target", "2"]] {
      #expect(try await warnings(add + fine).isEmpty, "\(fine)")
    }
    let habit = try await bench.addHabit("Read")
    #expect(
      try await warnings(["schedule", "add", habit, "--at", "09:00", "--quota", "2/day"]).count == 1
    )
    let unless = ["schedule", "add", habit, "--at", "10:00", "--unless", "quota"]
    let same = "without --quota or --goal, --unless quota means the same as --unless done"
    let texts = try await warnings(unless)
    #expect(texts.first == same, "\(texts)")
  }

  @Test("A habit's group can be set, shown and cleared")
  func group() async throws {
    let bench = try await Workbench.withStore()
    let id = try await bench.addHabit("Walk", "--group", "Sport")
    #expect(try await bench.json("habit", "list")["habits"]?[0]?["group"]?.text == "Sport")
    #expect(try await bench.run("habit", "show", id).output.contains("group     Sport"))
    try await bench.run("habit", "edit", id, "--group", "none")
    #expect(try await bench.json("habit", "show", id)["group"] == nil)
  }
}
