import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon done`: records that a habit was done on a date.
struct DoneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Record that a habit was done.",
    discussion: """
      Without --on, the date is that of the last reminder, if it fired within 24 hours or its date \
      is still to come, the date is not done, and no reminder of today is nearer. Otherwise, and \
      for a counted habit, it is today, in the time zone of the habit's schedules if all have the \
      same one. The answer names the date if it is not today.

      Without --amount, the amount is 1. Without --at, the time is now.

      Examples:
        carillon done Walk
        carillon done walk run --on yesterday
        carillon done Water --amount 0.5 --at 7:12 --note "after the run"
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habits: HabitArguments
  @OptionGroup var date: DateFlag

  @OptionGroup var flags: EntryFlags

  func run(_ call: Call) async throws {
    let amount = try flags.amount.value(for: "--amount")
    let warning = future(call.output.time)
    try await date.record(habits.habits, call, warning: warning) { store, habit, date in
      let today = try await store.today()
      let day: CivilDate? = if case .date(let given) = date { given } else { nil }
      let moment = try await flags.moment(of: habit, on: day, or: today, in: store, call)
      let old = try await old(day, today: today, of: habit, in: store, call.output)
      let written = try await store.markDone(
        habit.id, on: date, amount: amount, at: moment, note: flags.note)
      let assumed = written.assumedMoment.map {
        " Its time is taken as \(call.output.time.text($0)); --at sets it."
      }
      return DatedRecord(
        written: written, text: try await text(written, of: habit, amount, in: store),
        addition: (assumed ?? "") + (try await before(written, of: habit, in: store, call))
          + (try await stillComing(written, of: habit, in: store, call.output))
          + (try await noLongerComing(written, of: habit, in: store, call.output)),
        warnings: [
          written.date.flatMap { habit.warning(doneOn: $0, call.output) ?? old },
          written.clockWarning(of: habit, call.output),
        ].compactMap(\.self))
    }
  }

  /// Returns `Done: Walk`, or the amount of the date for a counted habit, `Water: 1 of 4 glasses`.
  private func text(
    _ written: Written, of habit: Habit, _ amount: Amount?, in store: Store
  ) async throws -> String {
    guard written.kinds.contains(.entryRecorded) else { return "Already done: \(habit.title)" }
    guard habit.kind == .count, let date = written.date else {
      return "Done: \(habit.title)\(amount.map { " +\($0)" } ?? "")"
    }
    return try await habit.amountText(on: date, in: store)
  }

  /// Returns a sentence about what was recorded for the date before: the recorded time if it was
  /// done already, or its skip.
  private func before(
    _ written: Written, of habit: Habit, in store: Store, _ call: Call
  ) async throws -> String {
    guard let date = written.date else { return "" }
    guard written.kinds.contains(.entryRecorded) else {
      let first = try await store.entries(of: habit, in: date...date).compactMap(\.time).first
      let recorded =
        first.map { " The recorded time is \(call.output.time.text($0, besides: date))." } ?? ""
      let isRepeated = habit.schedules.contains(where: \.isInterval)
      return recorded + (isRepeated ? " To record it once more, add --amount 1." : "")
    }
    let day = try await store.day(date, of: habit.id)
    guard day.mark == .skip else { return "" }
    return day.isDone(habit)
      ? " This replaces the skip of the date; undo brings it back."
      : " The date stays skipped until it is done."
  }

  /// Returns when the next reminder comes although the habit was done, or an empty text.
  ///
  /// For a schedule without a condition it also says how to change that, but not for an interval,
  /// whose purpose is to come again.
  private func stillComing(
    _ written: Written, of habit: Habit, in store: Store, _ output: Output
  ) async throws -> String {
    guard !written.events.isEmpty, let date = written.date,
      habit.schedules.contains(where: \.mayComeAlthoughDone),
      try await store.device().blocked == nil,
      let next = try await store.comingAlthoughDone(habit.id, on: date).first,
      let schedule = habit.schedules.first(where: { $0.id == next.schedule })
    else { return "" }
    let edit = "\(output.carillon) schedule edit \(habit.argument) --unless done"
    let change =
      habit.schedules.count == 1 && schedule.isUnconditional ? "; to change that: \(edit)" : "."
    guard let fireAt = next.fireAt else { return " Its reminder at a place stays\(change)" }
    let time = output.time.shortText(fireAt)
    guard schedule.isInterval || !schedule.isUnconditional else {
      return " Its reminder at \(time) comes nevertheless\(change)"
    }
    return " Next reminder at \(time)"
      + (next.detail == .moved(by: .quietHours) ? ", when quiet hours end." : ".")
  }

  /// Returns which reminders of the date no longer come since it is done, and how to do each by
  /// itself; an empty text if the date has only one.
  private func noLongerComing(
    _ written: Written, of habit: Habit, in store: Store, _ output: Output
  ) async throws -> String {
    let schedules = Set(
      habit.schedules.filter { !$0.isInterval && $0.unless.contains(.done) }.map(\.id))
    let mayHaveSeveral = schedules.count > 1 || habit.schedules.contains { $0.times.count != 1 }
    guard written.kinds.contains(.entryRecorded), habit.kind == .yesNo, let date = written.date,
      !schedules.isEmpty, mayHaveSeveral, try await store.device().blocked == nil
    else { return "" }
    // A repeat is not done by itself.
    let due = try await store.explainAlone(habit.id, on: date).filter { one in
      schedules.contains(one.schedule) && one.number == 0
    }
    let times = due.filter { !$0.isPast && $0.reason == .done }.compactMap(\.fireAt)
      .map(output.time.shortText)
    guard due.count > 1, !times.isEmpty else { return "" }
    let silent =
      " Its reminder\(times.count == 1 ? "" : "s") at \(times.joined(separator: ", ")) no longer "
      + "come\(times.count == 1 ? "s" : "")"
    // With other schedules or a rule of hours, dates differ in the number of their reminders.
    guard habit.schedules.count == 1, !habit.schedules[0].rule.hasOwnTimes else {
      return silent + "."
    }
    return silent + "; to do each by itself: "
      + "\(output.carillon) habit edit \(habit.argument) --target \(due.count)"
  }

  /// Returns a warning about a date that is long before a habit began, or nil.
  private func old(
    _ date: CivilDate?, today: CivilDate, of habit: Habit, in store: Store, _ output: Output
  ) async throws -> String? {
    let slack = 31
    guard let date, date.days(to: today) > slack else { return nil }
    let first = try await store.adherence(of: habit.id).first
    guard date.days(to: first) > slack else { return nil }
    return "\(output.time.text(date)) is \(date.days(to: first).counted("day")) before "
      + "\(habit.title.printable) began, and its statistics now count from it; to take it back: "
      + "\(output.carillon) undo \(habit.argument) --on \(date)"
  }

  /// Returns a warning about a date after today.
  private func future(_ time: LocalTime) -> (Store, HabitDate) async throws -> String? {
    { store, date in
      guard case .date(let day) = date, try await day > store.today() else { return nil }
      return "\(time.text(day)) is in the future"
    }
  }
}

extension DoneCommand {
  /// Creates the verb for habits without options, as the parser would.
  init(habits words: [String]) {
    self.init()
    var flags = EntryFlags()
    (flags.amount, flags.at, flags.note) = (nil, nil, nil)
    (habits, date, self.flags) = (HabitArguments(words), .none, flags)
  }
}

extension Written {
  /// A warning that the clock shows a time before this program was made, and is more than a day
  /// behind the events of the store; or nil.
  ///
  /// The timestamp of a new event is never less than those of the events before it. A later clock
  /// may be right: then another one was ahead, as `status` says.
  fileprivate func clockWarning(of habit: Habit, _ output: Output) -> String? {
    guard let written = events.last?.id.instant, let date else { return nil }
    let now = output.time.now
    let days = (written.milliseconds - now.milliseconds) / 86_400_000
    let today = output.time.date(of: now)
    guard days > 0, today < "2026-01-01" else { return nil }
    return "the clock shows \(today), \(Int(days).counted("day")) "
      + "before the newest event of this store; if it is wrong, correct it, and take this back: "
      + "\(output.carillon) undo \(habit.argument) --on \(date)"
  }
}

extension Schedule {
  /// Whether the schedule may fire on a date that is done, or comes again after it.
  fileprivate var mayComeAlthoughDone: Bool {
    isInterval || unless.isDisjoint(with: [.done, .quota])
  }

  /// Whether nothing that is recorded silences the schedule.
  fileprivate var isUnconditional: Bool {
    unless.isEmpty && quota == nil && doneWithinSeconds == nil
  }
}

extension Habit {
  /// Returns why a date does not count in the habit's statistics, or nil if it may.
  fileprivate func warning(doneOn date: CivilDate, _ output: Output) -> String? {
    if let start, date < start {
      return "\(title.printable) starts on \(output.time.text(start)), so "
        + "\(output.time.text(date)) is recorded and does not count; to start earlier: "
        + "\(output.carillon) habit edit \(argument) --start \(date)"
    }
    if let end, date > end {
      return "\(title.printable) ended on \(output.time.text(end)), so "
        + "\(output.time.text(date)) is recorded and does not count; to end later: "
        + "\(output.carillon) habit edit \(argument) --end \(date)"
    }
    return nil
  }

  /// Returns the amount of a date with its target and unit, such as `Water: 1 of 4 glasses`.
  func amountText(on date: CivilDate, in store: Store) async throws -> String {
    let amount = try await store.day(date, of: id).amount
    let goal = target.map { direction == .atMost ? " of at most \($0)" : " of \($0)" } ?? ""
    let isOver = target.map { direction == .atMost && amount > $0 } ?? false
    return "\(title): \(amount)\(goal)\(unit.map { " \($0)" } ?? "")"
      + (isOver ? ", over" : "")
  }
}
