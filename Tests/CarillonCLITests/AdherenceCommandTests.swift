import Testing

/// How `habit show` tells how well a habit was kept.
struct AdherenceCommandTests {
  @Test("habit show tells the streak, the weeks and the months, and draws the last weeks")
  func show() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit(
      "Walk", "--on", "mon,fri", "--at", "17:00", "--start", "2026-11-02")
    for date in ["2026-11-06", "2026-11-09", "2026-11-16"] {
      try await bench.run("done", "Walk", "--on", date)
    }
    try await bench.run("skip", "Walk", "--on", "2026-11-13")
    let adherence = try #require(try await bench.json("habit", "show", "Walk")["adherence"])
    #expect(adherence["streak"]?.number == 0)
    #expect(adherence["longestStreak"]?.number == 3)
    #expect(adherence["weeks"]?.list.count == 8)
    #expect(adherence["weeks"]?.list.compactMap { $0["done"]?.number }.suffix(4) == [1, 1, 1, 0])
    #expect(adherence["weeks"]?.list.compactMap { $0["due"]?.number }.suffix(4) == [2, 1, 2, 0])
    #expect(adherence["months"]?.list.last?["done"]?.number == 3)

    let text = try await bench.run("habit", "show", "Walk").output
    #expect(
      text.hasSuffix(
        """
        streak  none now, longest 3 days to Mon 16 Nov
        months  Nov 3 of 5

        week of     Mo  Tu  We  Th  Fr  Sa  Su  done
        Mon 2 Nov   ✗   ·   ·   ·   ●   ·   ·   1 of 2
        Mon 9 Nov   ●   ·   ·   ·   –   ·   ·   1 of 1
        Mon 16 Nov  ●   ·   ·   ·   ✗   ·   ·   1 of 2
        Mon 23 Nov  ○                           0 of 0
        ● done  ✗ missed  ○ still open  – skipped  · not due

        """), "\(text)")
  }
}
