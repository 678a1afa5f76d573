import ArgumentParser
import Carillon

/// `carillon snooze`: makes the last reminder of a habit fire again later.
struct SnoozeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Snooze the last reminder of a habit.",
    discussion: """
      Exits with 1 if no reminder of the habit fired in the last 24 hours.

      A snooze has no effect if the reminder's next regular time comes first, even if that time is \
      skipped. With --json, "snoozed" is then null, and "warnings" reports what fires next.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The time from now, 1m to 365d (default: 15m).", valueName: "15m"))
  var duration: Given<DurationText>?

  func run(_ call: Call) async throws {
    let duration = try duration.value(for: "--for")?.duration ?? Store.defaultSnooze
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let snoozed = try await store.snooze(found.id, for: duration)
      let moved = snoozed.reminder.flatMap { $0.hasNoEffect ? nil : $0 }
      let ids: JSON = [
        "habit": .text(found.id.description),
        "snoozed": moved.map { $0.json(call.output.time) } ?? .null,
      ]
      var warnings: [String] = []
      if snoozed.reminder != nil, moved == nil {
        warnings.append(try await warning(about: found, in: store, call.output.time))
      }
      call.output.warn(warnings)
      try call.output.confirm(snoozed.written, ids.merging(warnings: warnings)) {
        guard let reminder = snoozed.reminder else {
          return "Nothing to snooze: no reminder of \(found.title) fired in the last 24 hours."
        }
        return reminder.text(of: found, call.output.time)
      }
      guard snoozed.reminder != nil else { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }

  /// Returns the warning about a snooze without effect, with what fires next.
  private func warning(
    about habit: Habit, in store: Store, _ time: LocalTime
  ) async throws -> String {
    let requests = try await store.plan().requests
    let next = requests.first { request in
      request.fireAt != nil && !request.id.hasPrefix("c1o.")
        && ([request.occurrence] + request.alsoCovers).contains { $0.habit == habit.id }
    }?.fireAt
    let firings = next.map { "it next fires at \(time.text($0))" } ?? "nothing is planned for it"
    return "the snooze has no effect, since the reminder's next time comes first; \(firings)"
  }
}

extension SnoozedReminder {
  /// Returns the end of the snooze, and the time at which it fires if quiet hours change it.
  fileprivate func text(of habit: Habit, _ time: LocalTime) -> String {
    let until = time.text(until)
    if hasNoEffect { return "\(habit.title) is not snoozed until \(until)." }
    let snoozed = "\(habit.title) is snoozed until \(until)"
    if effect.isSilent { return "\(snoozed), in quiet hours: it fires without sound." }
    guard effect.fireAt != self.until else { return snoozed + "." }
    return "\(snoozed), in quiet hours: it fires when they end, \(time.text(effect.fireAt))."
  }

  /// `{schedule,nominal,number,until,fireAt,silent}`.
  fileprivate func json(_ time: LocalTime) -> JSON {
    [
      "schedule": .text(schedule.description), "nominal": .text(nominal.description),
      "number": .integer(number), "until": .text(time.rfc3339(until)),
      "fireAt": .text(time.rfc3339(effect.fireAt)), "silent": .bool(effect.isSilent),
    ]
  }
}
