import ArgumentParser
import Carillon
import Foundation

/// The HABIT argument: an exact ID, else an exact title, else at least the first 4 characters of an
/// ID.
struct HabitArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The habit's title or ID; the ID's first 4 characters suffice."))
  var habit: String

  /// The habits that a verb searches first.
  enum Preference {
    case live, deleted, any
  }

  /// Finds the habit in a store.
  ///
  /// A deleted habit is found only if no live one matches, unless the verb prefers deleted ones.
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
        "habit \(id) was erased and cannot be restored",
        hint: "add a new one: carillon habit add TITLE")
    }
    let near = (live + deleted).first { $0.title.caseInsensitiveCompare(habit) == .orderedSame }
    throw CommandFailure.notFound(
      "there is no habit \"\(habit)\"",
      hint: (near.map { "did you mean \"\($0.title)\"? " } ?? "")
        + "list all habits: carillon habit list --all")
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
      "\"\(text)\" matches \(matches.count) habits: \(candidates)", hint: "give the habit's ID")
  }
}

/// The SCHEDULE argument: an ID, or at least its first 4 characters.
struct ScheduleArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The schedule's ID; its first 4 characters suffice."))
  var schedule: String

  /// Finds the schedule and its habit in a store.
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
        hint: "list a habit's schedules: carillon habit show HABIT")
    }
    guard matches.count == 1 else {
      let candidates = matches.map { "\($0.schedule.id) of \($0.habit.title)" }
      throw CommandFailure.ambiguous(
        "\"\(schedule)\" matches \(matches.count) schedules: "
          + candidates.joined(separator: ", "),
        hint: "give more characters of the ID")
    }
    return first
  }
}

/// The `--on DATE` option.
struct DayOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The date, YYYY-MM-DD (default: today, except as described above).", valueName: "date"))
  var on: Given<CivilDate>?

  func day() throws -> HabitDate {
    try on.value(for: "--on").map(HabitDate.date) ?? .due
  }

  /// ` of Fri 20 Nov` if the date was given or is not the store's today, else an empty text.
  func text(of written: Written, in store: Store, _ time: LocalTime) async throws -> String {
    guard let date = written.date else { return "" }
    let today = try await store.today()
    return on == nil && date == today ? "" : " of \(time.text(date))"
  }

  /// The warning that the name matched a deleted habit, as it does if no live one matches.
  func warnings(of habit: Habit) -> [String] {
    habit.isDeleted
      ? ["\(habit.title) is deleted; restore it: carillon habit restore \(habit.id)"] : []
  }
}
