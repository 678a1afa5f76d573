import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon habit list`: lists the habits, by position and title.
struct HabitListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the habits and their states today.",
    discussion: """
      With --json, "today" is done, skipped, paused, open if the habit is due today, or none if it \
      is not: its schedules do not include today, or its goal is reached.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Include archived and deleted habits.") var all = false

  func run(_ call: Call) async throws {
    try await Self.answer(call, all: all)
  }

  /// Prints the habits, with the archived and deleted ones if asked for.
  static func answer(_ call: Call, all: Bool = false) async throws {
    try await call.withStore { store in
      let document = try await HabitsDocument(
        store, includingArchived: all, includingDeleted: all)
      let none = document.rows.isEmpty ? try await store.noHabits(call.output) : nil
      try call.output.answer(document.json) {
        if let none { return none }
        var table = Table([
          .init(title: "habit", canShrink: true), .init(title: "today"),
          .init(title: "reminders", canShrink: true), .id,
        ])
        for row in document.rows {
          let reminders = row.habit.schedules.map { $0.summary(call.output.time) }.joined(
            separator: "; ")
          table.add([
            .init(row.habit.title, .bold), .init(row.text),
            .init(reminders.isEmpty ? "none" : reminders.truncated(to: widestReminders)),
            .init(String(row.habit.id.description.prefix(8)), .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
          + pauses(document.pausesOfAll, call.output)
      }
    }
  }

  /// A rule may be thousands of characters long; `habit show` prints it in full.
  private static let widestReminders = 120

  /// Returns a line for each pause of all habits that includes today.
  private static func pauses(_ pauses: [Pause], _ output: Output) -> String {
    pauses.map { pause in
      "All habits are paused \(output.time.text(pauseUntil: pause.last))"
        + output.terms(". To resume", .resume(nil)) + "\n"
    }.joined()
  }
}
