import Carillon
import Testing

@testable import CarillonCLI

/// Which habits a few letters name.
struct HabitMatchTests {
  private static let habits = [
    "Walk", "Morning run", "Run", "Caf\u{E9} au lait", "Cold shower", "Read 20 pages", "Wash up",
    "\u{6563}\u{6B69}", "\u{C0}pfel essen",
  ].enumerated().map {
    Habit(id: HabitID(high: UInt64($0.offset + 1) << 32, low: 1), title: $0.element)
  }

  @Test(
    "A title is named by its beginning, or by its words in any order, case and accents",
    arguments: [
      ("Walk", ["Walk"]), ("walk", ["Walk"]), ("wal", ["Walk"]), ("wa", ["Walk", "Wash up"]),
      ("run", ["Run"]), ("RUN morn", ["Morning run"]), ("mornin run", ["Morning run"]),
      ("cafe", ["Caf\u{E9} au lait"]), ("LAIT CAF\u{C9}", ["Caf\u{E9} au lait"]),
      ("shower", ["Cold shower"]), ("20", ["Read 20 pages"]), ("\u{6563}", ["\u{6563}\u{6B69}"]),
      ("apfel", ["\u{C0}pfel essen"]), ("ap ap", []), ("xyz", []), ("", []), (" ", []),
    ])
  func few(text: String, titles: [String]) {
    #expect(HabitMatch(text).all(in: Self.habits).map(\.title) == titles)
  }

  @Test("An ID, in full or its first 4 characters, names a habit if no title does")
  func ids() {
    let habit = Self.habits[2]
    #expect(HabitMatch(habit.id.description).all(in: Self.habits) == [habit])
    #expect(HabitMatch(String(habit.id.description.prefix(8))).all(in: Self.habits) == [habit])
    #expect(HabitMatch("000").all(in: Self.habits).isEmpty)
    #expect(HabitMatch("0000").all(in: Self.habits).count == Self.habits.count)
    let faced = Habit(id: habit.id, title: "0000")
    #expect(HabitMatch("0000").all(in: [faced] + Self.habits) == [faced])
  }

  @Test("In full, only the exact title and the ID name a habit")
  func exact() {
    #expect(HabitMatch("Walk").exact(in: Self.habits).map(\.title) == ["Walk"])
    #expect(HabitMatch("walk").exact(in: Self.habits).isEmpty)
  }

  @Test("A misspelled title has the nearest one as a suggestion")
  func near() {
    #expect(HabitMatch("wlak").near(in: Self.habits) == "Walk")
    #expect(HabitMatch("morning rnu").near(in: Self.habits) == "Morning run")
    #expect(HabitMatch("piano").near(in: Self.habits) == nil)
  }
}
