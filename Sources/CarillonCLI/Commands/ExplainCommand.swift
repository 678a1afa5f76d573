import ArgumentParser
import Carillon
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
      var words = try await ReasonWords(store, call.output)
      words.desktop = DesktopQueue(of: store.directory, call)
      words.ranOut = try await store.planRanOut()
      let date: CivilDate =
        if case .date(let date) = day { date } else { try await store.today() }
      let occurrences = try await store.explain(found.id, on: day)
      let none =
        occurrences.isEmpty
        ? found.noReminders(
          on: date, waiting: try await waiting(found, in: store, call.output), call.output) : nil
      let answer: JSON = [
        "occurrences": .array(occurrences) { json($0, of: found, words, call.output.time) },
        "blocked": .text(try await store.device().blocked?.rawValue),
        "blockedSince": .text(words.blockedSince.map(call.output.time.rfc3339)),
      ]
      try call.output.answer(answer.merging(none.map { ["detail": .text($0)] } ?? [:])) {
        if let none { return none + "\n" }
        return heading(of: found, date, call.output)
          + table(occurrences, of: found, on: date, words, call)
          + (words.stopped.map { $0 + "\n" } ?? "")
      }
    }
  }

  /// Returns what the next reminder waits for; nil if it does not wait.
  private func waiting(
    _ habit: Habit, in store: Store, _ output: Output
  ) async throws -> String? {
    let words = try await WaitingWords(store, output)
    guard let next = try await store.nextExplanations(of: [habit.id]).first?.1 else {
      return words.entry(habit)
    }
    return words.later(next)
  }

  /// Returns the habit and the date, with the title cut to the width of a terminal.
  private func heading(of habit: Habit, _ date: CivilDate, _ output: Output) -> String {
    let (title, date) = (habit.title.printable, output.time.text(date))
    let room = output.terminal.width.map { $0 - date.displayWidth - 2 } ?? Int.max
    return "\(title.truncated(to: room)), \(date)\n"
  }

  private func json(
    _ occurrence: Explanation, of habit: Habit, _ words: ReasonWords, _ time: LocalTime
  ) -> JSON {
    let common: JSON = [
      "schedule": .text(occurrence.schedule.description),
      "nominal": .text(occurrence.nominal.description), "due": .text(occurrence.due.description),
      "reason": .text(occurrence.reason.rawValue),
      "detail": .text(words.text(occurrence, of: habit)),
      "id": .text(occurrence.id.description), "fireAt": .text(occurrence.fireAt.map(time.rfc3339)),
    ]
    return common.merging(occurrence.values(time))
  }

  private func table(
    _ occurrences: [Explanation], of habit: Habit, on date: CivilDate, _ words: ReasonWords,
    _ call: Call
  ) -> String {
    let time = call.output.time
    var table = Table([
      .init(title: "time"), .init(title: "fires"), .init(title: "why", wraps: true),
    ])
    for occurrence in occurrences {
      let nominal = occurrence.time(in: habit)
      let isPlace = occurrence.fireAt == nil && !occurrence.isPast
      table.add([
        .init(
          isPlace
            ? ""
            : (nominal.date == date ? "" : time.text(nominal.date) + " ")
              + nominal.time.description),
        .init(fires(occurrence, words, time)),
        .init(words.text(occurrence, of: habit), .bold),
      ])
    }
    return table.rendered(on: call.output.terminal)
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

extension Habit {
  /// Why the habit has no occurrence on a date, and what to do.
  ///
  /// - Parameter waiting: What its next reminder waits for, if that is known.
  fileprivate func noReminders(
    on date: CivilDate, waiting: String?, _ output: Output
  ) -> String {
    let add = "\(output.carillon) schedule add \(argument) --at 17:00"
    if schedules.isEmpty { return "\(title.printable) has no reminders. To add one: \(add)" }
    if schedules.allSatisfy({ $0.times.isEmpty && !$0.rule.hasOwnTimes }) {
      return "\(title.printable) has no reminders, since its schedules have no times. To add one: "
        + add
    }
    if let waiting {
      return "\(title.printable) has no reminder on \(output.time.text(date)). The next one: "
        + waiting
    }
    return "\(title.printable) has no reminder on \(output.time.text(date)): no schedule of it "
      + "includes the date. To see them: \(output.carillon) habit show \(argument)"
  }
}
