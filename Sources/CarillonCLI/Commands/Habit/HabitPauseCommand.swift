import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon habit pause`: stops reminders for a range of dates.
struct HabitPauseCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause the reminders of a habit, or of all habits.",
    discussion: """
      A pause stops the reminders of a range of dates, or until resumed. skip leaves out one date.

      Examples:
        carillon habit pause Walk --to 2026-12-01
        carillon habit pause Walk --for 2w
        carillon habit pause --all
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var scope: PauseScope

  @Option(
    help: ArgumentHelp("The first date, such as friday (default: today).", valueName: "date"))
  var from: Given<DateText>?

  @Option(
    name: [.long, .customLong("until")],
    help: ArgumentHelp(
      "The last date, such as sunday or 2026-12-01 (default: none, until resumed).",
      valueName: "date"))
  var to: Given<DateText>?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The length instead of the last date, such as 5d or 2w.", valueName: "days"))
  var length: Given<DayInterval>?

  func run(_ call: Call) async throws {
    let (from, to) = (try from.value(for: "--from"), try to.value(for: "--to"))
    let length = try length.value(for: "--for")
    guard to == nil || length == nil else {
      throw CommandFailure.usage(
        "--for cannot be used with --to", hint: "give the length or the last date")
    }
    try await call.withStore { store in
      let today = try await store.today()
      let start = from?.date(.future, today: today)
      let first = start.map(HabitDate.date) ?? .today
      // A weekday of --to is the next one after the first date.
      let last =
        length.map { (start ?? today).adding(days: $0.days - 1) }
        ?? to?.date(.future, today: start ?? today)
      let habit = try await scope.find(in: store)
      let before = try await SnoozesBefore(of: habit, in: store)
      let written =
        if let habit {
          try await store.pause(habit.id, from: first, to: last)
        } else {
          try await store.pauseAll(from: first, to: last)
        }
      let snoozes = try await before.changes(in: store, call.output.time)
      try call.output.confirm(written, scope.json(habit)) {
        let time = call.output.time
        guard written.kinds.contains(.pauseSet) else {
          let name = habit?.title ?? "All habits"
          let end = time.text(pauseUntil: written.date)
          return "\(name) \(habit == nil ? "are" : "is") paused already \(end)."
        }
        let from = start.map { " from \(time.text($0))" } ?? ""
        return "Paused \(habit?.title ?? "all habits")\(from) \(time.text(pauseUntil: last))."
          + snoozes
      }
    }
  }
}

/// `carillon habit resume`: ends pauses.
struct HabitResumeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "End the pauses of a habit, or of all habits.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var scope: PauseScope

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let habit = try await scope.find(in: store)
      let before = try await SnoozesBefore(of: habit, in: store)
      let written =
        if let habit { try await store.resume(habit.id) } else { try await store.resumeAll() }
      let today = try await store.today()
      let pauses = try await store.state(range: today...today).pauses.values
      let isPausedWithAll = habit != nil && pauses.contains { $0.isOfAll(on: today) }
      let isEnded = written.events.contains { $0.kind == .pauseSet }
      var warnings: [String] = []
      if isEnded, isPausedWithAll {
        warnings.append(
          "all habits are still paused; to resume them: \(call.output.carillon) habit resume --all")
      }
      let snoozes = try await before.changes(in: store, call.output.time)
      call.output.warn(warnings)
      try call.output.confirm(written, scope.json(habit).merging(warnings: warnings)) {
        let name = habit?.title ?? "all habits"
        if isEnded { return "Resumed \(name).\(snoozes)" }
        return isPausedWithAll
          ? "\(name) has no pause of its own, but all habits are paused. To resume them: "
            + "\(call.output.carillon) habit resume --all"
          : "No pause to end: \(name)."
      }
    }
  }
}

/// The HABIT argument or `--all`.
struct PauseScope: ParsableArguments {
  @Argument(help: HabitArgument.help) var habit: String?
  @Flag(help: "Pause or resume all habits.") var all = false

  /// Finds the habit, or returns nil for all habits.
  func find(in store: Store) async throws -> Habit? {
    switch (habit, all) {
    case (let name?, false):
      return try await store.habit(named: name)
    case (nil, true): return nil
    default:
      throw CommandFailure.usage(
        "either a habit or --all is required", hint: "list the habits: carillon habit list")
    }
  }

  func json(_ habit: Habit?) -> JSON {
    ["habit": .text(habit?.id)]
  }
}
