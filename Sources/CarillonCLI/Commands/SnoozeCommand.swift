import ArgumentParser
import Carillon

/// `carillon snooze`: the last reminder of a habit rings again.
struct SnoozeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Put the last reminder of a habit off; exit 1 where there is none to put off.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For how long, from now on; 15m by default.", valueName: "15m"))
  var span: Given<DurationText>?

  func run(_ call: Call) async throws {
    let seconds = try span.value(for: "--for")?.seconds ?? Store.snoozeSeconds
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let snoozed = try await store.snooze(found.id, for: seconds)
      let ids: JSON = [
        "habit": .text(found.id.description),
        "snoozed": snoozed.reminder.map { $0.json(call.output.time) } ?? .null,
      ]
      if let reminder = snoozed.reminder, reminder.isInVain, let next = reminder.next {
        try call.output.warn(
          "\(found.title) rings anyway at \(call.output.time.text(next)); the snooze moves nothing")
      }
      try call.output.confirm(snoozed.written, ids) {
        guard let reminder = snoozed.reminder else {
          return "Nothing to snooze: no reminder of \(found.title) was due in the last 24 hours."
        }
        return reminder.text(of: found, call.output.time)
      }
      guard snoozed.reminder != nil else { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }
}

extension SnoozedReminder {
  /// Until when it is snoozed; in quiet hours also when it rings after all.
  fileprivate func text(of habit: Habit, _ time: LocalTime) -> String {
    let until = time.text(until)
    if isInVain { return "\(habit.title) is not moved to \(until)." }
    let snoozed = "\(habit.title) is snoozed until \(until)"
    if effect.isSilent { return "\(snoozed), in quiet hours: it comes without sound." }
    guard effect.fireAt != self.until else { return snoozed + "." }
    return "\(snoozed), in quiet hours: it rings when they end, \(time.text(effect.fireAt))."
  }

  /// `{slot,nominal,number,until,fireAt,silent}`.
  fileprivate func json(_ time: LocalTime) -> JSON {
    [
      "slot": .text(slot.description), "nominal": .text(nominal.description),
      "number": .integer(number), "until": .text(time.rfc3339(until)),
      "fireAt": .text(time.rfc3339(effect.fireAt)), "silent": .bool(effect.isSilent),
    ]
  }
}
