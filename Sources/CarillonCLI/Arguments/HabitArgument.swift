import ArgumentParser
import Carillon
import Foundation

/// HABIT: an exact id, else an exact title, else the start of an id, of 4 characters or more.
struct HabitArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("Its title, its id, or the first 4 or more of its id."))
  var habit: String

  /// Which habits a verb means first.
  enum Preference {
    case live, deleted, any
  }

  /// The habit in a store; deleted ones where no live one matches, or where the verb prefers them.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the candidates.
  func find(in store: Store, prefer preference: Preference = .live) async throws -> Habit {
    let all = try await store.habits(includingArchived: true, includingDeleted: true)
    let live = all.filter { !$0.isDeleted }
    let deleted = all.filter(\.isDeleted)
    let groups =
      switch preference {
      case .live: [live, deleted]
      case .deleted: [deleted, live]
      case .any: [all]
      }
    for group in groups {
      if let found = try Self.match(habit, in: group) { return found }
    }
    if let id = HabitID(habit), try await store.isErased(id) {
      throw CommandFailure.notFound(
        "habit \(id) was erased, and does not come back",
        hint: "add a new one: carillon habit add TITLE")
    }
    let near = (live + deleted).first { $0.title.caseInsensitiveCompare(habit) == .orderedSame }
    throw CommandFailure.notFound(
      "there is no habit \"\(habit)\"",
      hint: (near.map { "did you mean \"\($0.title)\"? " } ?? "")
        + "list them: carillon habit list --all")
  }

  private static func match(_ text: String, in habits: [Habit]) throws(CommandFailure) -> Habit? {
    let lowercased = text.lowercased()
    if let exact = habits.first(where: { $0.id.description == lowercased }) { return exact }
    let title = text.precomposedStringWithCanonicalMapping
    let byTitle = habits.filter { $0.title == title }
    let matches =
      byTitle.isEmpty && text.utf8.count >= 4
      ? habits.filter { $0.id.description.hasPrefix(lowercased) } : byTitle
    guard matches.count > 1 else { return matches.first }
    let candidates = matches.map { "\($0.id) \($0.title)" }.joined(separator: ", ")
    throw .ambiguous(
      "\"\(text)\" fits \(matches.count) habits: \(candidates)", hint: "name it by its id")
  }
}

/// SCHEDULE: an id, or the start of one, of 4 characters or more.
struct ScheduleArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("Its id, or the first 4 or more of it."))
  var schedule: String

  /// The schedule and its habit.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the candidates.
  func find(in store: Store) async throws -> (habit: Habit, schedule: Schedule) {
    let text = schedule.lowercased()
    let habits = try await store.habits(includingArchived: true)
    let matches = habits.flatMap { habit in
      habit.schedules
        .filter {
          let id = $0.id.description
          return id == text || text.utf8.count >= 4 && id.hasPrefix(text)
        }
        .map { (habit: habit, schedule: $0) }
    }
    guard let first = matches.first else {
      throw CommandFailure.notFound(
        "there is no schedule \"\(schedule)\"",
        hint: "see a habit's schedules: carillon habit show HABIT")
    }
    guard matches.count == 1 else {
      let candidates = matches.map { "\($0.schedule.id) of \($0.habit.title)" }
      throw CommandFailure.ambiguous(
        "\"\(schedule)\" fits \(matches.count) schedules: \(candidates.joined(separator: ", "))",
        hint: "give more of the id")
    }
    return first
  }
}

/// `--on DATE`.
struct DayOption: ParsableArguments {
  @Option(help: ArgumentHelp("The date; without it the one that is meant now.", valueName: "date"))
  var on: Given<CivilDate>?

  func day() throws -> Day {
    try on.value(for: "--on").map(Day.date) ?? .due
  }

  /// ` of Fri 20 Nov` where the date was given, or is not the store's today, for what is said of
  /// it.
  func text(of written: Written, in store: Store, _ time: LocalTime) async throws -> String {
    guard let date = written.date else { return "" }
    let today = try await store.today()
    return on == nil && date == today ? "" : " of \(time.text(date))"
  }

  /// What is said where a deleted habit answers to the name, as it does where no live one has it.
  func warnings(of habit: Habit) -> [String] {
    habit.isDeleted
      ? ["\(habit.title) is deleted; bring it back: carillon habit restore \(habit.id)"] : []
  }
}
