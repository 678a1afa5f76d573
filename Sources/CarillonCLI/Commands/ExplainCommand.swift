import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon explain`: shows why each occurrence of a date is planned, or is not.
struct ExplainCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show why each of a habit's reminders on a date will fire, or will not.",
    discussion: """
      A reminder is listed on its date, and on the date on which it fires. A past one is \
      explained by what was recorded: when a device delivered it, or what is \
      recorded for its date. With --json, "reason" is a code, "detail" the same in words, and \
      "fireAt" also the time at which a reminder would fire without that reason.

      Examples:
        carillon explain Walk
        carillon explain Walk --on 2026-11-24
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var date: DateFlag

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let day = try await date.date(.future, in: store)
      let found = try await habit.find(in: store)
      let output = call.output
      let desktop = DesktopQueue(of: store.directory, call)
      let document = try await ExplainDocument(
        store, found, on: day, output.time, output.terms,
        refusal: { desktop?.refusal(of: $0, habit: $1) })
      try output.answer(document.json) {
        if let none = document.none { return none + "\n" }
        return heading(document, output) + table(document, output)
          + (document.words.delivery.stopped.map { $0 + "\n" } ?? "")
      }
    }
  }

  /// Returns the habit and the date, with the title cut to the width of a terminal.
  private func heading(_ document: ExplainDocument, _ output: Output) -> String {
    let (title, date) = (document.habit.title.printable, output.time.text(document.date))
    let room = output.terminal.width.map { $0 - date.displayWidth - 2 } ?? Int.max
    return "\(title.truncated(to: room)), \(date)\n"
  }

  private func table(_ document: ExplainDocument, _ output: Output) -> String {
    let time = output.time
    var table = Table([
      .init(title: "time"), .init(title: "fires"), .init(title: "why", wraps: true),
    ])
    for (occurrence, text) in document.occurrences {
      let nominal = occurrence.time(in: document.habit)
      let isPlace = occurrence.fireAt == nil && !occurrence.isPast
      table.add([
        .init(
          isPlace
            ? ""
            : (nominal.date == document.date ? "" : time.text(nominal.date) + " ")
              + nominal.time.description),
        .init(fires(occurrence, document.words, time)), .init(text, .bold),
      ])
    }
    return table.rendered(on: output.terminal)
  }

  /// Returns when an occurrence fired or will fire; a dash if it did or will not.
  private func fires(
    _ occurrence: Explanation, _ words: ReasonWords, _ time: LocalTime
  ) -> String {
    switch occurrence.reason {
    case .past where occurrence.detail == .none: "not known"
    case .delivered: occurrence.fireAt.map(time.text) ?? "not known"
    case _ where words.fires(occurrence): occurrence.fireAt.map(time.text) ?? "at a place"
    default: "—"
    }
  }
}

extension ExplainCommand {
  /// Creates the verb for a habit without options, as the parser would.
  init(habit name: String) {
    self.init()
    (habit, date) = (HabitArgument(name), .none)
  }
}

extension Explanation {
  /// Returns the civil time of the occurrence, for a repeat that of the repeat.
  fileprivate func time(in habit: Habit) -> CivilDateTime {
    guard number > 0,
      case .relative(let relative)? = habit.schedules.first(where: { $0.id == schedule })?.rule
    else { return nominal }
    let minutes = Int(nominal.time.minute) + number * relative.repeatSeconds / 60
    return CivilDateTime(
      date: nominal.date.adding(days: minutes / 1_440),
      time: TimeOfDay(minute: minutes % 1_440) ?? nominal.time)
  }
}
