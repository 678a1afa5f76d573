import Testing

/// The confirmations of verbs.
struct ConfirmationTests {
  @Test("done, skip and undo name the given date")
  func dates() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let on = ["Walk", "--on", "2026-11-20"]
    for (verb, says) in [
      ("done", "Done: Walk on Fri 20 Nov."),
      ("done", "Already done: Walk on Fri 20 Nov. The recorded time is Mon 23 Nov 12:00."),
      ("undo", "Undone: Walk on Fri 20 Nov."), ("undo", "Nothing to undo: Walk on Fri 20 Nov."),
      ("skip", "Skipped: Walk on Fri 20 Nov."),
      ("skip", "Already skipped: Walk on Fri 20 Nov."),
    ] {
      let answer = try await bench.start([verb] + on).answer()
      #expect(answer.output == says + "\n" && answer.errors.isEmpty, "\(answer)")
    }
    #expect(try await bench.run("done", "Walk").output == "Done: Walk.\n")
  }

  @Test("A change without effect reports the habit's state")
  func already() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    for (verb, says) in [
      ("unarchive", "Walk is not archived."), ("archive", "Archived Walk."),
      ("archive", "Walk is already archived."), ("restore", "Walk is not deleted."),
      ("delete", "Deleted Walk."), ("delete", "Walk is already deleted."),
      ("restore", "Restored Walk."),
    ] {
      let answer = try await bench.run("habit", verb, "Walk")
      #expect(answer.output == says + "\n", "\(verb) \(answer)")
    }
  }

  @Test("A deleted habit and a future date are accepted with a warning")
  func warnings() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let future = try await bench.run("done", "Walk", "--on", "2026-12-24")
    #expect(future.errors == "warning: Thu 24 Dec is in the future\n", "\(future)")
    #expect(future.output == "Done: Walk on Thu 24 Dec.\n")
    try await bench.run("habit", "delete", "Walk")
    for verb in ["done", "skip", "undo"] {
      let answer = try await bench.run(verb, "Walk")
      #expect(answer.status == 0)
      #expect(
        answer.errors
          == "warning: Walk is deleted; to restore it: carillon habit restore Walk\n",
        "\(answer)")
    }
  }

  @Test("Requests left out by --limit are not reported as not fitting")
  func limit() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00,18:00")
    let text = try await bench.run("pending", "--limit", "1").output
    #expect(text.hasPrefix("when ") && text.contains(" not listed (--limit 1).\n"), "\(text)")
    let none = try await bench.run("pending", "--limit", "0").output
    #expect(none.prefixMatch(of: /\d+ are not listed \(--limit 0\)\.\n/) != nil, "\(none)")
    #expect(!text.contains("fit"))
  }
}
