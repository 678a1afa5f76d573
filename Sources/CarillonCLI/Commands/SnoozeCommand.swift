import ArgumentParser
import Carillon

/// `carillon snooze`: makes the last reminder of a habit fire again later.
struct SnoozeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Snooze the last reminder of a habit.",
    discussion: """
      Exits with 1 if no reminder of the habit fired in the last 24 hours.

      A snoozed reminder fires, also if its schedule's quota is met, until its date is done or \
      skipped, or the habit is paused, archived or deleted. Other times of the schedule stay.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The time from now, 1m to 365d (default: 15m).", valueName: "15m"))
  var duration: Given<DurationText>?

  func run(_ call: Call) async throws {
    let duration =
      try duration?.duration(for: "--for", in: DurationText.minuteToYear, such: "15m").duration
      ?? Store.defaultSnooze
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let snoozed = try await store.snooze(found.id, for: duration)
      let ids: JSON = [
        "habit": .text(found.id.description),
        "snoozed": snoozed.reminder.map { $0.json(call.output.time) } ?? .null,
      ]
      try call.output.confirm(snoozed.written, ids) {
        guard let reminder = snoozed.reminder else {
          return "Nothing to snooze: no reminder of \(found.title) fired in the last 24 hours."
        }
        return reminder.text(of: found, call.output.time)
      }
      guard snoozed.reminder != nil else { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }
}

extension SnoozedReminder {
  /// Returns the snoozed time, the end of the snooze, and the time at which it fires if quiet hours
  /// change it.
  fileprivate func text(of habit: Habit, _ time: LocalTime) -> String {
    let snoozed =
      "\(habit.title) (\(time.text(scheduledAt))) is snoozed until \(time.text(until))"
    if isSilent { return "\(snoozed), in quiet hours: it fires without sound." }
    guard fireAt != until else { return snoozed + "." }
    return "\(snoozed), in quiet hours: it fires when they end, \(time.text(fireAt))."
  }

  /// `{schedule,nominal,number,scheduledAt,until,fireAt,silent}`.
  fileprivate func json(_ time: LocalTime) -> JSON {
    [
      "schedule": .text(occurrence.schedule.description),
      "nominal": .text(occurrence.nominal.description),
      "number": .integer(occurrence.number),
      "scheduledAt": .text(time.rfc3339(scheduledAt)), "until": .text(time.rfc3339(until)),
      "fireAt": .text(time.rfc3339(fireAt)), "silent": .bool(isSilent),
    ]
  }
}
