import ArgumentParser
import Carillon
import CarillonDocuments

/// The HABIT argument: a title or a few letters of it, or an ID.
struct HabitArgument: ParsableArguments {
  @Argument(help: HabitArgument.help) var habit: String

  static let help = ArgumentHelp(
    "The habit: the beginning of its title, or of words in it, if that is unique; or its ID.")

  /// The habits that a verb searches by a few letters; all others need their title or ID.
  enum Preference {
    /// Those that are neither archived nor deleted.
    case current
    case archived, deleted, any
    /// All, the current ones first; but a full title or an ID comes before a few letters.
    case currentFirst

    /// Whether a habit belongs to those that are searched first.
    func isFirst(_ habit: Habit) -> Bool {
      switch self {
      case .current, .currentFirst: !habit.isArchived && !habit.isDeleted
      case .archived: habit.isArchived && !habit.isDeleted
      case .deleted: habit.isDeleted
      case .any: true
      }
    }
  }

  func find(in store: Store, prefer preference: Preference = .current) async throws -> Habit {
    try await store.habit(named: habit, prefer: preference)
  }
}

extension HabitArgument {
  /// Creates the argument from a word, as the parser would.
  init(_ word: String) {
    self.init()
    habit = word
  }
}

extension HabitArguments {
  /// Creates the arguments from words, as the parser would.
  init(_ words: [String]) {
    self.init()
    habits = words
  }
}

/// The HABIT arguments of a verb that takes several.
struct HabitArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The habits: for each the beginning of its title, or of words in it, if that is unique; or "
        + "its ID.", valueName: "habit"))
  var habits: [String]
}

extension Store {
  /// Finds several habits, each once, in the order given.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the candidates.
  func habits(named texts: [String]) async throws -> [Habit] {
    var found: [Habit] = []
    for text in texts {
      let habit = try await habit(named: text)
      if !found.contains(where: { $0.id == habit.id }) { found.append(habit) }
    }
    return found
  }

  /// Finds a habit by its title, a few letters of it, or its ID.
  ///
  /// - Parameter preference: The habits to search by a few letters. If none of them matches, the
  ///   others are found by their full title or ID.
  /// - Throws: `notFound`, with the way back if a few letters match an archived or deleted habit,
  ///   or `ambiguous` with the candidates.
  func habit(
    named text: String, prefer preference: HabitArgument.Preference = .current
  ) async throws -> Habit {
    let match = HabitMatch(text)
    // Most habits are named in full, which needs no other habit.
    let named = try await habits(match.id, titled: match.title).filter(preference.isFirst)
    let whole = match.exact(in: named)
    if whole.count == 1 { return whole[0] }
    let all = try await habits(includingArchived: true, includingDeleted: true)
    let deleted = all.filter(\.isDeleted)
    let archived = all.filter { $0.isArchived && !$0.isDeleted }
    let current = all.filter { !$0.isArchived && !$0.isDeleted }
    let first = all.filter(preference.isFirst)
    let others: [[Habit]] =
      switch preference {
      case .current, .currentFirst: [archived, deleted]
      case .archived: [current, deleted]
      case .deleted: [current, archived]
      case .any: []
      }
    let exact = preference == .currentFirst ? ([first] + others).map(match.exact) : []
    // A whole title in any case comes before a few letters of another one.
    let isWhole = match.whole(in: first).isEmpty && others.contains { !match.whole(in: $0).isEmpty }
    let byLetters = isWhole ? [] : [match.all(in: first)]
    for found in exact + byLetters + others.map(match.exact) {
      if let habit = try Self.one(of: found, text) { return habit }
    }
    for found in others.map(match.all) {
      guard let habit = try Self.one(of: found, text) else { continue }
      if preference == .currentFirst { return habit }
      throw CommandFailure.notFound(
        "\"\(habit.title)\" is \(habit.hiddenState ?? "neither archived nor deleted")",
        hint: habit.wayBack(among: all) ?? "list all habits: carillon habit list --all")
    }
    if let id = HabitID(text), try await isErased(id) {
      throw CommandFailure.notFound(
        "habit \(id) was erased and cannot be restored",
        hint: "add a new one: carillon habit add TITLE")
    }
    let near = (match.near(in: current + archived + deleted)).map { "did you mean \"\($0)\"? " }
    throw CommandFailure.notFound(
      "there is no habit \"\(text)\"",
      hint: (near ?? "") + "list all habits: carillon habit list --all")
  }

  /// Returns the only habit, or nil if there is none.
  private static func one(of habits: [Habit], _ text: String) throws(CommandFailure) -> Habit? {
    guard habits.count > 1 else { return habits.first }
    let isByTitle = Set(habits.map(\.title)).count == habits.count
    let named = habits.prefix(5).map { habit in
      let times = habit.schedules.flatMap(\.times).map(\.description).joined(separator: " ")
      return isByTitle
        ? "\"\(habit.title)\""
        : "\(habit.id) \(habit.title)" + (times.isEmpty ? "" : " (\(times))")
    }
    let rest = habits.count > 5 ? " and \(habits.count - 5) more" : ""
    throw .ambiguous(
      "\"\(text)\" matches \(habits.count) habits: \(named.joined(separator: ", "))\(rest)",
      hint: isByTitle ? "give more letters of the title" : "give the habit's ID")
  }

  /// Returns the warning that a habit is archived or deleted, or nil if it is current.
  func warning(about habit: Habit, _ output: Output) async throws -> String? {
    guard let state = habit.hiddenState else { return nil }
    let all = try await habits(includingArchived: true, includingDeleted: true)
    let back = habit.wayBack(among: all, carillon: output.carillon) ?? ""
    return "\(habit.title) is \(state); \(back)"
  }
}

extension Habit {
  /// `deleted` or `archived`, or nil for a current habit.
  var hiddenState: String? { isDeleted ? "deleted" : isArchived ? "archived" : nil }

  /// Returns the command that brings back an archived or deleted habit, after what it does; nil for
  /// a current habit.
  ///
  /// - Parameter habits: The habits whose titles may be the same; the command then has the ID.
  func wayBack(among habits: [Habit], carillon: String = "carillon") -> String? {
    guard hiddenState != nil else { return nil }
    let isUnique = !habits.contains {
      $0.id != id && $0.title == title && $0.hiddenState == hiddenState
    }
    let name = isUnique ? argument : id.description
    return isDeleted
      ? "to restore it: \(carillon) habit restore \(name)"
      : "to show it again: \(carillon) habit unarchive \(name)"
  }
}

/// The SCHEDULE argument: an ID, or at least its first 4 characters, or a habit with one schedule.
struct ScheduleArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The schedule's ID; its first 4 characters suffice. Or its habit, if that has one schedule."))
  var schedule: String

  /// Finds the schedule and its habit in a store: by ID, else by the habit.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the candidates.
  func find(
    in store: Store, _ time: LocalTime
  ) async throws -> (habit: Habit, schedule: Schedule) {
    let text = schedule.lowercased()
    let habits = try await store.habits(includingArchived: true)
    let matches = habits.flatMap { habit in
      habit.schedules
        .filter {
          let id = $0.id.description
          return id == text || text.utf8.count >= IDPrefix.leastCharacters && id.hasPrefix(text)
        }
        .map { (habit: habit, schedule: $0) }
    }
    guard let first = matches.first else { return try await onlyOne(in: store, time) }
    guard matches.count == 1 else {
      let candidates = matches.map { "\($0.schedule.id) of \($0.habit.title)" }
      throw CommandFailure.ambiguous(
        "\"\(schedule)\" matches \(matches.count) schedules: "
          + candidates.joined(separator: ", "),
        hint: "give more characters of the ID")
    }
    return first
  }

  /// Returns the only schedule of the habit that the argument names.
  private func onlyOne(
    in store: Store, _ time: LocalTime
  ) async throws -> (habit: Habit, schedule: Schedule) {
    let habit: Habit
    do {
      habit = try await store.habit(named: schedule)
    } catch let failure as CommandFailure
      where failure.code == StoreError.Code.notFound.rawValue
    {
      throw CommandFailure.notFound(
        "there is no schedule or habit \"\(schedule)\"", hint: failure.hint)
    }
    let all = try await store.habits(includingArchived: true, includingDeleted: true)
    if habit.isDeleted, let wayBack = habit.wayBack(among: all) {
      throw CommandFailure.notFound("\"\(habit.title)\" is deleted", hint: wayBack)
    }
    guard let first = habit.schedules.first else {
      throw CommandFailure.notFound(
        "\(habit.title) has no schedule",
        hint: "add one: carillon schedule add \(habit.argument(among: all)) --at 17:00")
    }
    guard habit.schedules.count == 1 else {
      let candidates = habit.schedules.map { "\($0.id.description.prefix(8)) \($0.summary(time))" }
      throw CommandFailure.ambiguous(
        "\(habit.title) has \(habit.schedules.count) schedules: "
          + candidates.joined(separator: "; "), hint: "give the ID of one of them")
    }
    return (habit, first)
  }
}
