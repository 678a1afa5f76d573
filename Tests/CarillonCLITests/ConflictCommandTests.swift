import CarillonDocuments
import Foundation
import Testing

/// What `sync`, `log --conflicts` and `habit show` say of values that lost to a concurrent edit.
struct ConflictCommandTests {
  /// A phone and a watch that changed the time of one habit before they synced.
  private func conflict(_ title: String) async throws -> (bench: Workbench, sync: Answer) {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit(title, "--at", "17:00")
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    try await bench.run("habit", "edit", title, "--at", "19:00", store: "watch")
    try await bench.run(
      "habit", "edit", title, "--at", "18:00", now: "2026-11-23T12:01:00+01:00")
    let sync = try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    return (bench, sync)
  }

  @Test("The sync names the lost value, and its command works when pasted")
  func pasted() async throws {
    let (bench, sync) = try await conflict("Evening walk")
    let line = try #require(
      sync.output.split(separator: "\n").first { $0.hasPrefix("Both changed") }, "\(sync)")
    #expect(
      line.hasPrefix(
        "Both changed the times of Evening walk: 19:00 from watch@2 lost to 18:00 from phone@"),
      "\(line)")
    let listed = try await bench.run("log", "--conflicts")
    #expect(listed.output.hasPrefix("Both changed the times of Evening walk: 19:00"), "\(listed)")
    #expect(try await bench.run("log", "--conflicts", store: "watch").output == listed.output)
    let shown = try await bench.run("habit", "show", "Evening walk")
    #expect(shown.output.contains("\nConflicts\nBoth changed the times"), "\(shown)")

    let command = try #require(line.split(separator: "To take it back: carillon ").last)
    let pasted = try await bench.startShell(
      "\"$CARILLON\" \(command) --now \(Workbench.now) --zone \(Workbench.zone)", store: "none"
    ).answer()
    #expect(pasted.status == 0, "\(pasted)")
    #expect(pasted.output.hasPrefix("Evening walk: times 19:00"), "\(pasted)")
    let none = try await bench.run("log", "--conflicts")
    #expect(
      none.output == "No change of a habit, a note or a setting was lost.\n",
      "\(none)")
    let after = try await bench.run("sync", bench.path("watch"))
    #expect(!after.output.contains("Both changed"), "\(after)")
    let habit = try await bench.json("habit", "show", "Evening walk", store: "watch")
    #expect(habit["schedules"]?[0]?["times"]?.list.map(\.text) == ["19:00"])
    #expect(habit["conflicts"]?.list.isEmpty == true)
  }

  @Test("A title from another device controls no terminal, and its habit is named by the ID")
  func hostileTitle() async throws {
    let (bench, _) = try await conflict("Walk")
    try await bench.run("habit", "edit", "Walk", "--title", "\u{1B}[2JB", store: "watch")
    let one = try #require(
      try await bench.json("habit", "list", store: "watch")["habits"]?[0]?["id"]?.text)
    try await bench.run(
      "habit", "edit", "Walk", "--title", "A", now: "2026-11-23T12:02:00+01:00")
    try await bench.run("habit", "edit", one, "--title", "--json", store: "watch")
    let sync = try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    #expect(sync.output.contains("Both changed the title"), "\(sync)")
    #expect(!sync.output.contains("\u{1B}"), "\(sync)")
    #expect(!sync.output.contains("habit edit --json"), "\(sync)")
  }

  @Test("All printed commands work one after another, also if one takes back a title")
  func inOrder() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("~root", "--at", "17:00")
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica=-n", "--role", "watch")
    let habit = try #require(
      try await bench.json("habit", "list")["habits"]?[0]?["id"]?.text)
    try await bench.run("habit", "edit", habit, "--title", "Stroll", "--at", "9", store: "watch")
    let later = "2026-11-23T12:01:00+01:00"
    try await bench.run("habit", "edit", habit, "--title", "~bin", "--at", "10", now: later)
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    let listed = try await bench.run("log", "--conflicts", "--json").documents()
    let commands = listed.compactMap { $0["command"]?.text }
    #expect(commands.count == 2, "\(commands)")
    for command in commands {
      let pasted = try await bench.startShell(
        "\"$CARILLON\" \(command.dropFirst("carillon ".count)) --now \(later) "
          + "--zone \(Workbench.zone)"
      ).answer()
      #expect(pasted.status == 0, "\(pasted)")
    }
    let taken = try await bench.json("habit", "show", "Stroll")
    #expect(taken["schedules"]?[0]?["times"]?.list.map(\.text) == ["09:00"])
  }

  @Test("Conflicts are listed as JSON, and end when the present value is confirmed")
  func kept() async throws {
    let (bench, _) = try await conflict("Walk")
    let listed = try await bench.run("log", "--conflicts", "--json").documents()
    let one = try #require(listed.first)
    #expect(listed.count == 1)
    #expect(one["field"]?.text == "times")
    #expect(one["lost"]?["value"]?.text == "19:00")
    #expect(one["kept"]?["value"]?.text == "18:00")
    #expect(one["command"]?.text == "carillon habit edit Walk --take watch@2")
    #expect(
      try await bench.json("habit", "show", "Walk")["conflicts"]?[0]?["title"]?.text == "Walk")
    let name = try #require(one["lost"]?["name"]?.text)
    let kept = try await bench.run("habit", "edit", "Walk", "--keep", name, store: "watch")
    #expect(kept.status == 0 && kept.output.hasPrefix("Walk: times 18:00"), "\(kept)")
    let again = try await bench.run("habit", "edit", "Walk", "--keep", name, store: "watch")
    #expect(again.status == 66, "\(again)")
    #expect(try await bench.run("log", "--conflicts", "--json", store: "watch").output.isEmpty)
  }

  @Test("The flags that end a conflict stand alone")
  func refused() async throws {
    let (bench, _) = try await conflict("Walk")
    for flags in [
      ["--take", "watch@2", "--title", "Run"], ["--take", "watch@2", "--keep", "watch@2"],
      ["--take", "watch@2", "--at", "09:00"], ["--keep", "watch@2", "--goal", "3/7d"],
    ] {
      let answer = try await bench.start(["habit", "edit", "Walk"] + flags).answer()
      #expect(answer.status == 64, "\(flags) \(answer)")
    }
    #expect(try await bench.run("habit", "edit", "Walk", "--take", "watch@99").status == 66)
    #expect(try await bench.run("log", "--conflicts", "--last", "3").status == 64)
  }

  @Test("Each command that takes a note, a setting, or an archived or deleted habit back works")
  func others() async throws {
    let (bench, _) = try await conflict("Walk")
    try await bench.run("habit", "edit", "Walk", "--keep", "watch@2")
    for title in ["Read", "Swim"] { _ = try await bench.addHabit(title, "--at", "09:00") }
    try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    try await bench.run("note", "Walk", "Slow; it's 5 km", store: "watch")
    try await bench.run("settings", "set", "digest", "3/5m", store: "watch")
    try await bench.run("habit", "archive", "Read", store: "watch")
    try await bench.run("habit", "delete", "Swim", store: "watch")
    let later = "2026-11-23T12:05:00+01:00"
    try await bench.run("note", "Walk", "Fast", now: later)
    try await bench.run("settings", "set", "digest", "5/5m", now: later)
    try await bench.run("habit", "edit", "Read", "--at", "10:00", now: later)
    try await bench.run("habit", "edit", "Swim", "--title", "Dive", now: later)
    let sync = try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    let lines = sync.output.split(separator: "\n").filter { $0.contains(": carillon ") }
    #expect(lines.count == 4, "\(sync)")
    for text in [
      "Both changed the note on 2026-11-23 of Walk: Slow; it's 5 km from watch@",
      "Both changed the setting digest: 3/300s from watch@",
      "archived Read, and did not know its times 10:00 from phone@",
      "deleted Dive, and did not know its title Dive from phone@",
    ] { #expect(lines.contains { $0.contains(text) }, "\(text) \(lines)") }
    let listed = try await bench.run("log", "--conflicts", "--json").documents()
    #expect(listed.compactMap { $0["date"]?.text } == ["2026-11-23"])
    let kept = listed.compactMap { $0["kept"]?["value"]?.text }
    #expect(Set(kept) == ["Fast", "5/300s", "archived", "deleted"])
    for line in lines {
      let command = try #require(line.split(separator: ": carillon ").last)
      let pasted = try await bench.startShell(
        "\"$CARILLON\" \(command) --now \(later) --zone \(Workbench.zone)", store: "none"
      ).answer()
      #expect(pasted.status == 0, "\(command) \(pasted)")
    }
    #expect(try await bench.run("log", "--conflicts", "--json").output.isEmpty)
    let habits = try await bench.json("habit", "list")["habits"]?.list.compactMap {
      $0["title"]?.text
    }
    #expect(Set(habits ?? []) == ["Walk", "Read", "Dive"])
    #expect(try await bench.json("settings")["settings"]?["digest"]?.text == "3/300s")
  }

  @Test("A removed reminder that another device changed is listed by sync, log and habit show")
  func removedReminder() async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Read"] { _ = try await bench.addHabit(title, "--at", "17:00") }
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try await bench.run("habit", "edit", "Walk", "--at", "19:00", store: "watch")
    try await bench.run("schedule", "remove", "Read", store: "watch")
    let later = "2026-11-23T12:05:00+01:00"
    try await bench.run("schedule", "remove", "Walk", now: later)
    try await bench.run("habit", "edit", "Read", "--at", "20:00", now: later)
    let sync = try await bench.run("sync", bench.path("phone"), bench.path("watch"))
    let listed = try await bench.run("log", "--conflicts")
    let walk = try await bench.run("habit", "show", "Walk")
    for (text, lists) in [
      (
        "removed a reminder of Walk, and did not know its times 19:00 from watch@",
        [sync, listed, walk]
      ),
      ("removed a reminder of Read, but phone@", [sync, listed]),
      (
        ", which did not know it, brought it back with times 20:00. To take it back: ",
        [sync, listed]
      ),
    ] {
      for list in lists { #expect(list.output.contains(text), "\(list)") }
    }
    let lines = sync.output.split(separator: "\n").filter { $0.contains(": carillon ") }
    #expect(lines.count == 2, "\(sync)")
    for line in lines {
      let command = try #require(line.split(separator: ": carillon ").last)
      let pasted = try await bench.startShell(
        "\"$CARILLON\" \(command) --now \(later) --zone \(Workbench.zone)", store: "none"
      ).answer()
      #expect(pasted.status == 0, "\(command) \(pasted)")
    }
    #expect(try await bench.run("log", "--conflicts", "--json").output.isEmpty)
    let habits = try await bench.json("habit", "list")["habits"]?.list ?? []
    #expect(habits.first { $0["title"]?.text == "Walk" }?["schedules"]?.list.count == 1)
    #expect(habits.first { $0["title"]?.text == "Read" }?["schedules"]?.list.isEmpty == true)
  }
}
