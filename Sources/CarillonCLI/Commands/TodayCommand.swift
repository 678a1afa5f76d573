import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon today`: lists the habits with their states today and their next reminders.
struct TodayCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "today",
    abstract: "Show what is due and done today, and when each reminder fires next.",
    discussion: """
      If no command is given and there is a store, this one runs. A habit without a next \
      reminder says why. With --json, "today" is as in habit list, "next" has the time, or the \
      reason and its words, "canSnooze" is whether a snooze would move a reminder now, and a \
      counted habit has its amount and target in thousandths.
      """)

  @OptionGroup var global: GlobalOptions

  /// Whether the arguments name no command, only global options, and a store is given or found; or
  /// an option is wrong, which the parser of this command reports.
  static func isMeant(by given: [String]) -> Bool {
    guard let global = GlobalValues(alone: given[...]) else {
      return given.first?.hasPrefix("--") == true
        && ArgumentOrder(given, verbs: []).arguments.isEmpty
    }
    return (try? StorePlace(given: global.store).existing(or: CommandFailure.self)) != nil
  }

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let output = call.output
      let document = try await TodayDocument(store, output.time, output.terms)
      let footer = output.footer(document.plan.blocked, on: try await store.device())
      let none = document.rows.isEmpty ? try await store.noHabits(output) : nil
      for problem in try await store.contentHealth() + store.sealingHealth { output.warn(problem) }
      let json = output.isJSON ? try await document.json : .null
      try output.answer(json) {
        if let none { return none }
        let plan = document.plan
        return output.time.text(document.date) + "\n" + Self.table(document, output)
          + plan.leftOut.soon(output.time).paragraph(output, capacity: plan.capacity)
          + footer
      }
    }
  }

  private static func table(_ document: TodayDocument, _ output: Output) -> String {
    var table = Table([
      .init(title: "habit", canShrink: true), .init(title: "today"),
      .init(title: "next reminder", wraps: true),
    ])
    for (today, next) in document.rows {
      let isOpen = today.state == .open
      table.add([
        .init(today.habit.title, isOpen ? .bold : .plain),
        .init(today.text, isOpen ? .plain : .dim),
        .init(next.text(output.time, today: document.date, isCauseBelow: true)),
      ])
    }
    return table.rendered(on: output.terminal)
  }
}
