import Foundation
import Testing

/// Commands find habits by a few letters, several at once.
struct HabitNameCommandTests {
  @Test("done takes several habits by a few letters, each once")
  func several() async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Morning run", "Water"] { _ = try await bench.addHabit(title) }
    let done = try await bench.run("done", "walk", "morn", "run", "--on", "yesterday")
    #expect(
      done.output == "Done: Walk on Sun 22 Nov.\nDone: Morning run on Sun 22 Nov.\n", "\(done)")
    let json = try await bench.json("undo", "walk", "run", "--on", "yesterday")
    #expect(json["records"]?.list.count == 2, "\(json)")
    #expect(json["records"]?[1]?["date"]?.text == "2026-11-22")
    let one = try await bench.json("skip", "wat")
    #expect(one["date"]?.text == "2026-11-23" && one["records"] == nil, "\(one)")
  }

  @Test("If one of several names is ambiguous or unknown, nothing is written")
  func allOrNothing() async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Wash up", "Run"] { _ = try await bench.addHabit(title) }
    let before = try await bench.log()
    let ambiguous = try await bench.run("done", "run", "wa")
    #expect(ambiguous.status == 65 && ambiguous.output.isEmpty, "\(ambiguous)")
    #expect(ambiguous.errors.contains("\"wa\" matches 2 habits: \"Walk\", \"Wash up\""))
    let unknown = try await bench.run("done", "run", "wlak")
    #expect(unknown.status == 66 && unknown.errors.contains("did you mean \"Walk\"?"))
    #expect(try await bench.log() == before)
  }

  @Test("An archived or deleted habit is named in full only, with a warning")
  func notCurrent() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    _ = try await bench.addHabit("Water")
    try await bench.run("habit", "archive", "Walk")
    let water = try await bench.run("done", "wa")
    #expect(water.output == "Done: Water.\n", "\(water)")
    let letters = try await bench.run("done", "wal")
    #expect(
      letters.status == 66
        && letters.errors == "error: \"Walk\" is archived\n"
          + "hint: to show it again: carillon habit unarchive Walk\n",
      "\(letters)")
    let warned = try await bench.run("done", "Walk")
    #expect(warned.status == 0 && warned.errors.contains("Walk is archived"), "\(warned)")
    let shown = try await bench.run("habit", "unarchive", "wa")
    #expect(shown.output == "Unarchived Walk.\n", "\(shown)")
    try await bench.run("habit", "delete", "Walk")
    let deleted = try await bench.run("snooze", "walk")
    #expect(
      deleted.status == 66 && deleted.errors.contains("\"Walk\" is deleted")
        && deleted.errors.contains("to restore it: carillon habit restore Walk"), "\(deleted)")
    let snoozed = try await bench.run("snooze", "Walk")
    #expect(snoozed.status == 1 && snoozed.errors.contains("Walk is deleted; to restore it:"))
    let other = try await bench.run("habit", "restore", "wat")
    #expect(other.errors.contains("\"Water\" is neither archived nor deleted"), "\(other)")
  }

  @Test("The command that brings a habit back names it by its ID if its title cannot be pasted")
  func pastedName() async throws {
    let bench = try await Workbench.withStore()
    let first = try await bench.addHabit("It's late")
    let second = try await bench.addHabit("Tab\there")
    for id in [first, second] { try await bench.run("habit", "archive", id) }
    let quoted = try await bench.run("done", "it's")
    #expect(quoted.errors.contains(#"carillon habit unarchive 'It'\''s late'"#), "\(quoted)")
    let named = try await bench.run("done", "tab")
    #expect(named.errors.contains("carillon habit unarchive \(second)\n"), "\(named)")
  }

  @Test("A second habit of the same title, in any case, needs --again")
  func again() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let before = try await bench.log()
    let refused = try await bench.run("habit", "add", "walk")
    #expect(refused.status == 73 && refused.errors.contains("--again"), "\(refused)")
    #expect(try await bench.log() == before)
    #expect(try await bench.run("habit", "add", "Walk", "--again").status == 0)
    let both = try await bench.run("done", "Walk")
    #expect(both.status == 65 && both.errors.contains("give the habit's ID"), "\(both)")
  }

  @Test("An archived habit keeps its title, a deleted one frees it, and each way to a second asks")
  func againEverywhere() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk")
    let run = try await bench.addHabit("Run")
    func refused(_ arguments: String..., hint: String) async throws {
      let before = try await bench.log()
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == 73 && answer.errors.contains(hint), "\(arguments) \(answer)")
      #expect(answer.errors.contains("add --again"), "\(arguments) \(answer)")
      #expect(try await bench.log() == before)
      let forced = try await bench.start(arguments + ["--again"]).answer()
      #expect(forced.status == 0, "\(arguments) \(forced)")
    }
    try await refused("habit", "edit", run, "--title", "WALK", hint: "habit \"Walk\"")
    try await bench.run("habit", "edit", run, "--title", "Run")
    #expect(try await bench.run("habit", "edit", walk, "--title", "walk").status == 0)
    try await bench.run("habit", "archive", walk)
    try await refused("habit", "add", "Walk", hint: "carillon habit unarchive walk;")
    try await refused("habit", "unarchive", walk, hint: "habit \"Walk\"")
    try await bench.run("habit", "delete", walk)
    try await refused("habit", "restore", walk, hint: "habit \"Walk\"")
    try await bench.run("habit", "delete", run)
    #expect(try await bench.run("habit", "add", "Run").status == 0)
  }

  @Test("A counted habit's answer has the amount of the date and its target")
  func counted() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--target", "4", "--unit", "glasses")
    _ = try await bench.addHabit("Read", "--unit", "pages")
    _ = try await bench.addHabit("Coffee", "--at-most", "2", "--unit", "cups")
    #expect(try await bench.run("done", "coffee").output == "Coffee: 1 of at most 2 cups.\n")
    #expect(try await bench.json("habit", "show", "coffee")["direction"]?.text == "atMost")
    #expect(
      try await bench.run("habit", "add", "Tea", "--at-most", "2", "--target", "3").status == 64)
    #expect(try await bench.run("done", "Water").output == "Water: 1 of 4 glasses.\n")
    #expect(
      try await bench.run("done", "water", "--amount", "2.5").output
        == "Water: 3.5 of 4 glasses.\n")
    #expect(
      try await bench.run("done", "read", "--amount", "12", "--on", "sun").output
        == "Read: 12 pages on Sun 22 Nov.\n")
  }

  @Test("An amount of 0 is recorded for a habit with a maximum, and refused for others with a hint")
  func none() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Coffee", "--at-most", "2", "--unit", "cups")
    _ = try await bench.addHabit("Water", "--target", "4", "--unit", "glasses")
    let none = try await bench.run("done", "coffee", "--amount", "0")
    #expect(none.output == "Coffee: 0 of at most 2 cups.\n", "\(none)")
    #expect(try await bench.json("entry", "list", "coffee")["entries"]?.list.count == 1)
    let refused = try await bench.run("done", "water", "--amount", "0")
    #expect(refused.status == 65 && refused.errors.contains("0 is not positive"), "\(refused)")
    #expect(refused.errors.contains("needs no entry; to take back the last one: carillon undo"))
  }

  @Test("done says that a date before the habit's start or after its end does not count")
  func outside() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Course", "--start", "2026-11-20", "--end", "2026-11-22")
    let early = try await bench.run("done", "course", "--on", "2026-11-19")
    #expect(early.output == "Done: Course on Thu 19 Nov.\n", "\(early)")
    let edit = "to start earlier: carillon habit edit Course --start 2026-11-19"
    #expect(
      early.errors.contains(
        "Course starts on Fri 20 Nov, so Thu 19 Nov is recorded and does not count; \(edit)"),
      "\(early)")
    let late = try await bench.json("done", "course")
    #expect(
      late["warnings"]?[0]?.text?.hasPrefix("Course ended on Sun 22 Nov, so Mon 23 Nov ") == true,
      "\(late)")
    let within = try await bench.run("done", "course", "--on", "2026-11-21")
    #expect(within.errors.isEmpty, "\(within)")
  }

  @Test("habit delete --erase needs --yes where nobody can be asked")
  func erase() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let before = try await bench.log()
    let refused = try await bench.run("habit", "delete", "Walk", "--erase")
    #expect(refused.status == 64 && refused.errors.contains("add --yes"), "\(refused)")
    #expect(try await bench.log() == before)
    #expect(try await bench.run("habit", "delete", "Walk", "--yes").status == 64)
    #expect(try await bench.run("habit", "delete", "Walk", "--erase", "--yes").status == 0)
  }

  @Test("habit delete --erase finds a deleted habit, by its full title before a few letters")
  func eraseDeleted() async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Walking", "Water"] { _ = try await bench.addHabit(title) }
    for title in ["Walk", "Water"] { try await bench.run("habit", "delete", title) }
    for (name, title) in [("Walk", "Walk"), ("wat", "Water")] {
      let erased = try await bench.run("habit", "delete", name, "--erase", "--yes")
      #expect(erased.output.hasPrefix("Permanently erased \(title):"), "\(erased)")
    }
    #expect(try await bench.run("done", "walk").output == "Done: Walking.\n")
  }

  @Test("A peer in the form of scp is refused with its ssh:// address")
  func copyForm() async throws {
    let bench = try await Workbench.withStore()
    for (given, address) in [
      ("host:phone", "ssh://host/~/phone"), ("me@host:/data/phone", "ssh://me@host/data/phone"),
    ] {
      let answer = try await bench.run("sync", given)
      #expect(answer.status == 64 && answer.errors.contains("give \(address);"), "\(answer)")
    }
    #expect(try await bench.run("sync", "./host:phone").status == 66)
  }
}

/// The store of a person who names none.
struct StandardStoreTests {
  @Test("Without --store, init creates the store in the user's data directory, and all find it")
  func standard() async throws {
    let bench = try Workbench()
    for variables in [["HOME": bench.path("home")], ["XDG_DATA_HOME": bench.path("data")]] {
      func run(_ arguments: String...) async throws -> Answer {
        try await bench.startPlain(arguments, store: nil, with: variables).answer()
      }
      let none = try await run("status")
      #expect(none.status == 66 && none.errors.contains("carillon init --replica NAME"), "\(none)")
      let made = try await run("init", "--replica", "desk")
      #expect(made.status == 0 && made.output.contains("/carillon\n"), "\(made)")
      #expect(made.output.contains("\nNext: carillon habit add Walk --at 17:00\n"), "\(made)")
      #expect(try await run("habit", "add", "Walk", "--at", "17:00").status == 0)
      #expect(try await run("pending").output.contains("Next: carillon permission grant"))
      #expect(try await run("done", "walk").output.hasPrefix("Done: Walk"))
    }
    #expect(FileManager.default.fileExists(atPath: bench.path("home/.local/share/carillon")))
    #expect(FileManager.default.fileExists(atPath: bench.path("data/carillon")))
  }

  @Test("A hint's command names the store exactly where --store was given, and works when pasted")
  func pasted() async throws {
    let bench = try Workbench()
    let store = bench.path("phone")
    let made = try await bench.startPlain(
      ["init", "--store", store, "--replica", "phone"], store: nil
    ).answer()
    let line = String(
      try #require(made.output.split(separator: "\n").last?.dropFirst("Next: ".count)))
    let pasted = try await bench.startShell(
      line.replacing("carillon --store", with: "\"$CARILLON\" --store"), store: "none"
    ).answer()
    #expect(pasted.status == 0 && pasted.output.hasPrefix("Added Walk"), "\(line) \(pasted)")
  }

  @Test("Without a home directory, or with one that cannot be written, the error says so")
  func homeless() async throws {
    let bench = try Workbench()
    let none = try await bench.startPlain(["init", "--replica", "desk"], store: nil).answer()
    #expect(none.status == 64 && none.errors.contains("HOME names no directory"), "\(none)")
    try bench.write("", to: "file")
    let file = try await bench.startPlain(
      ["init", "--replica", "desk"], store: nil, with: ["HOME": bench.path("file")]
    ).answer()
    #expect(file.status == 73 && file.errors.contains("--store DIR"), "\(file)")
  }
}
