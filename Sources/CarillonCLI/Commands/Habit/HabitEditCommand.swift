import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon habit edit`: changes a habit; options that are not given leave it unchanged.
struct HabitEditCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a habit and its reminder.",
    discussion: """
      Only the given values change. The value none clears an optional one.

      The flags of the reminder need a habit with exactly one schedule. If it has several, use:
        carillon schedule edit SCHEDULE

      Examples:
        carillon habit edit Walk --at 18:00
        carillon habit edit Walk --title Stroll --goal none

      If two devices change the same value before they sync, the later change wins. To see what \
      was lost, also to a deletion, run:
        carillon log --conflicts
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @Option(help: "The new title, at most 200 bytes.") var title: String?
  @OptionGroup var second: SecondHabitFlag
  @Option(
    help: ArgumentHelp(
      "Take back the values of this edit, which was lost.", valueName: "event"))
  var take: String?
  @Option(
    help: ArgumentHelp(
      "Keep the present values instead of those of this edit, so that it is listed no longer.",
      valueName: "event"))
  var keep: String?
  @OptionGroup(title: "The reminder") var schedule: ScheduleFlags
  @OptionGroup(title: "The habit") var flags: HabitFlags

  func run(_ call: Call) async throws {
    guard title != "none" else {
      throw CommandFailure.badValue(
        "--title: the title of a habit cannot be cleared", hint: "give another title")
    }
    if let event = take ?? keep { return try await endConflicts(event, call) }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let isNew = !found.isDeleted && title.map { $0.folded != found.title.folded } ?? false
      let check = isNew ? title.flatMap { second.check($0, of: found) } : nil
      let frame = try await ScheduleFrame(call, store)
      if schedule.isGiven { try requireOneSchedule(found) }
      let before = try await store.plan().leftOut
      let past = try await store.adherence(of: found.id)
      let written = try await store.edit(found.id, if: check) { [self] habit in
        if let title { habit.title = title }
        try flags.edit(&habit, today: frame.today)
        guard schedule.isGiven else { return }
        try requireOneSchedule(habit)
        try schedule.edit(&habit.schedules[0], frame)
      }
      let changed = schedule.isGiven ? found.schedules.map(\.id) : []
      let warnings =
        (try schedule.isGiven ? warnings(about: found, frame) : [])
        + (try await call.queueWarnings(store, before: before, changed: changed))
        + [
          try await store.adherence(of: found.id).warning(after: past, of: found, call.output.time)
        ].compactMap(\.self)
      call.output.warn(warnings)
      let ids: JSON = ["habit": .text(found.id.description)]
      let next =
        schedule.isGiven
        ? try await store.nextFiringText(of: found, found.schedules.first?.id, call.output) : ""
      var edited = found
      try flags.edit(&edited, today: frame.today)
      let dates = flags.datesText(of: edited, call.output.time)
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        written.events.isEmpty
          ? "Nothing to change: \(found.title)." : "Changed \(title ?? found.title)\(dates)\(next)."
      }
    }
  }

  /// Takes back the values of an edit that lost to a concurrent one, or confirms the present ones.
  private func endConflicts(_ name: String, _ call: Call) async throws {
    guard take == nil || keep == nil, title == nil, !schedule.isGiven, !flags.isGiven else {
      throw CommandFailure.usage(
        "--take and --keep cannot be used with other changes", hint: "give them one by one")
    }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let events = try await store.events(named: name)
      guard let event = events.first, events.count == 1 else {
        throw events.isEmpty
          ? CommandFailure.notFound(
            "there is no event \"\(name)\"", hint: "list the lost values: carillon log --conflicts")
          : CommandFailure.ambiguous(
            "\"\(name)\" names \(events.count) events",
            hint: "give the ID; list the lost values: carillon log --conflicts --json")
      }
      let conflicts = try await store.conflicts(of: found.id).filter {
        $0.lost.event == event.event.id
      }
      guard !conflicts.isEmpty else {
        throw CommandFailure.notFound(
          "no value of \(found.title) in \(name) was lost",
          hint: "list the lost values: carillon log --conflicts")
      }
      let ended = try await store.words(conflicts, call.output.time, call.output.terms)
      let written = try await store.endConflicts(
        of: found.id, with: event.event.id, takingLost: take != nil)
      let next = try await store.nextFiringText(of: found, nil, call.output)
      let ids: JSON = [
        "habit": .text(found.id.description), "ended": .array(ended) { $0.json },
      ]
      try call.output.confirm(written, ids) {
        var changes: [String] = []
        for text in ended.map({ take == nil ? $0.keptText : $0.lostText })
        where !changes.contains(text) { changes.append(text) }
        return "\(found.title): \(changes.joined(separator: ", "))\(next)"
      }
    }
  }

  /// Returns warnings about settings of the changed reminder that are probably not intended.
  private func warnings(about habit: Habit, _ frame: ScheduleFrame) throws -> [String] {
    var habit = habit
    try flags.edit(&habit, today: frame.today)
    try schedule.edit(&habit.schedules[0], frame)
    return schedule.rule.warnings(frame) + habit.schedules[0].warnings(of: habit, frame)
  }

  private func requireOneSchedule(_ habit: Habit) throws(CommandFailure) {
    guard habit.schedules.count != 1 else { return }
    let schedules = habit.schedules.map { schedule in
      let times = schedule.times.map(\.description).joined(separator: " ")
      return schedule.id.description.prefix(8) + (times.isEmpty ? "" : " (\(times))")
    }.joined(separator: ", ")
    throw .badData(
      "\(habit.title) has \(habit.schedules.count) schedules"
        + (schedules.isEmpty ? "" : ": \(schedules)"),
      hint: habit.schedules.isEmpty
        ? "add one: carillon schedule add \(habit.argument) --at 17:00"
        : "change one of them with the same options: carillon schedule edit SCHEDULE")
  }
}
