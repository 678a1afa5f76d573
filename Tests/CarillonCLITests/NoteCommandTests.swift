import Testing

/// `carillon note`.
struct NoteCommandTests {
  @Test("A note is shown with its habit and exported, and an empty one removes it")
  func note() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00")
    let noted = try await bench.json("note", "Walk", "Rain; at last", "--on", "2026-11-20")
    #expect(noted["habit"]?.text == walk)
    #expect(noted["date"]?.text == "2026-11-20")
    #expect(noted["note"]?.text == "Rain; at last")
    #expect(noted["events"]?.list.last?["type"]?.text == "note.recorded")
    let again = try await bench.run("note", "Walk", "Rain; at last", "--on", "2026-11-20")
    #expect(again.output.hasPrefix("Already noted: Walk on Fri 20 Nov"), "\(again)")
    let other = try await bench.run("note", "Walk", "Sun", "--on", "2026-11-20")
    #expect(
      other.output.hasPrefix("Note replaced: Walk on Fri 20 Nov. It was: Rain; at last"),
      "\(other)")
    try await bench.run("note", "Walk", "Rain; at last", "--on", "2026-11-20")
    let shown = try await bench.run("habit", "show", "Walk")
    #expect(shown.output.hasSuffix("\nNotes\nFri 20 Nov  Rain; at last\n"), "\(shown)")
    let json = try await bench.json("habit", "show", "Walk")
    #expect(json["notes"]?[0]?["date"]?.text == "2026-11-20")
    #expect(json["notes"]?[0]?["notes"]?[0]?.text == "Rain; at last")
    let log = try await bench.run("log")
    #expect(log.output.contains("note.recorded       Walk 2026-11-20"), "\(log)")
    let table = try await bench.run("export", "--format", "csv")
    #expect(table.output.contains("2026-11-20,Walk,note,,,,Rain; at last,\(walk),"), "\(table)")
    let removed = try await bench.run("note", "Walk", "", "--on", "2026-11-20")
    #expect(removed.output.hasPrefix("Note removed: Walk on Fri 20 Nov"), "\(removed)")
    #expect(
      try await bench.run("note", "Walk", "", "--on", "2026-11-20").output.contains(
        "No note to remove"))
    #expect(try await bench.run("habit", "show", "Walk").output.contains("Notes") == false)
    let long = try await bench.run("note", "Walk", String(repeating: "a", count: 2_001))
    #expect(long.status == 65 && long.errors.contains("2000"), "\(long)")
  }

  @Test("A note is synced to another replica, and is in an export of the log")
  func travels() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("note", "Walk", "Rain")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    let shown = try await bench.run("habit", "show", "Walk", store: "watch")
    #expect(shown.output.contains("  Rain\n"), "\(shown)")
    let exported = try await bench.run("export")
    #expect(exported.output.contains(#""type":"note.recorded""#), "\(exported)")
    #expect(try await bench.digest("phone") == bench.digest("watch"))
  }
}
