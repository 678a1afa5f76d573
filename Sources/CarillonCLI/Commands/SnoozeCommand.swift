import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon snooze`: makes the last reminder of a habit fire again later.
struct SnoozeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Snooze the last reminder of a habit.",
    discussion: """
      Exits with 1 if there is nothing to snooze: no reminder of the habit fired in the last 24 \
      hours, or it would not fire again, and the answer says why. With --json, that is "reason", \
      as in explain, and "detail".

      A snoozed reminder fires, also if its schedule's quota is met. It ends if its date is then \
      recorded as done or skipped, or the habit is paused, archived or deleted. On a date that is \
      done already, only a reminder without the condition --unless done can be snoozed. Other \
      times of the schedule stay.

      Examples:
        carillon snooze Walk
        carillon snooze Walk --for 1h30m
        carillon snooze Walk --until 9pm
        carillon snooze Walk --off
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "The time from now, 1m to 365d (default: 15m). A day is a calendar day.", valueName: "15m"))
  var duration: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "The end, such as 9pm or \"mon 8:00\"; a time alone is the next one.", valueName: "time"))
  var until: Given<InstantText>?

  @Flag(help: "End the habit's snoozes, so that their reminders do not fire again.") var off = false

  func run(_ call: Call) async throws {
    if off { return try await end(call) }
    let duration = try duration?.duration(
      for: "--for", in: DurationText.minuteToYear, such: "15m")
    guard duration == nil || until == nil else {
      throw CommandFailure.usage(
        "--for and --until cannot be used together", hint: "give one of them")
    }
    let moment = try givenEnd(call)
    let end =
      moment?.instant
      ?? duration.flatMap { $0.days == 0 ? nil : $0.end(from: call.output.time.now, in: call.zone) }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let warnings = [
        moment?.warning(for: "--until"), try await store.warning(about: found, call.output),
      ].compactMap(\.self)
      call.output.warn(warnings)
      let snoozed =
        if let end {
          try await store.snooze(found.id, until: end)
        } else {
          try await store.snooze(found.id, for: duration?.duration ?? Store.defaultSnooze)
        }
      let document = try await SnoozeDocument(
        snoozed, of: found, store, call.output.time, call.output.terms)
      try call.output.confirm(snoozed.written, document.json.merging(warnings: warnings)) {
        guard let reminder = snoozed.reminder else {
          return "Nothing to snooze: \(document.nothing)."
        }
        return reminder.text(of: found, call.output.time)
      }
      guard snoozed.reminder != nil else { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }

  /// Ends the snoozes of the habit.
  private func end(_ call: Call) async throws {
    guard duration == nil, until == nil else {
      throw CommandFailure.usage(
        "--off cannot be used with --for or --until", hint: "give one of them")
    }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let (written, ends) = try await store.endSnoozes(of: found.id)
      let json: JSON = [
        "habit": .text(found.id.description),
        "ended": .array(ends) { .text(call.output.time.rfc3339($0)) },
      ]
      try call.output.confirm(written, json) {
        guard !ends.isEmpty else { return "\(found.title) is not snoozed." }
        let times = ends.sorted().map(call.output.time.text).joined(separator: ", ")
        return "\(found.title) is no longer snoozed until \(times)."
      }
    }
  }

  /// Returns the moment of `--until`, or nil if it is not given.
  ///
  /// - Throws: A usage error if it is malformed, past, or more than a year away.
  private func givenEnd(_ call: Call) throws -> ResolvedMoment? {
    guard let text = try until.value(for: "--until") else { return nil }
    let now = call.output.time.now
    let moment = text.next(in: call.zone, after: now)
    guard moment.instant > now, moment.instant <= now.adding(snooze: Store.longestSnooze) else {
      let time = call.output.time.text(moment.instant)
      throw CommandFailure.badValue(
        "--until: \(time) is \(moment.instant > now ? "more than a year away" : "past")",
        hint: "give \(InstantText.form)")
    }
    return moment
  }
}

extension SnoozedReminder {
  /// Returns the snoozed time, the end of the snooze, and the time at which it fires if quiet hours
  /// change it.
  fileprivate func text(of habit: Habit, _ time: LocalTime) -> String {
    let snoozed = "\(habit.title) (\(time.text(scheduledAt))) is snoozed"
    let silent = isSilent ? ", in quiet hours: it fires without sound" : ""
    let done = isDateDone ? " The date is done; it fires nevertheless." : ""
    return "\(snoozed) \(time.text(snoozedUntil: until, fireAt: fireAt))\(silent).\(done)"
  }
}
