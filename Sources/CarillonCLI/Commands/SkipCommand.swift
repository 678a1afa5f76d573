import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonImport
import Foundation

/// `carillon skip`: marks dates as not due.
struct SkipCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Mark dates of a habit as not due.",
    discussion: """
      Without --on, --from and --holidays, the date is today, in the time zone of the habit's \
      schedules if all have the same one. Dates that are done or skipped already stay as they are.

      skip leaves out dates, and breaks no streak. habit pause stops the reminders of a range of \
      dates, or until resumed.

      Examples:
        carillon skip Gym --on 2026-12-24,2026-12-31
        carillon skip Gym Walk --from friday --to sunday
        carillon skip Gym --holidays holidays.ics
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habits: HabitArguments

  @Option(
    help: ArgumentHelp(
      "A date, such as tomorrow, mon or 2026-12-24, or several with commas; may be repeated.",
      valueName: "date"))
  var on: [Given<DateList>] = []

  @Option(
    help: ArgumentHelp(
      "The first of several dates (default with --to or --holidays: today).", valueName: "date"))
  var from: Given<DateText>?

  @Option(
    help: ArgumentHelp(
      "The last of several dates (default with --from: the same date; with --holidays: two years "
        + "later).", valueName: "date"))
  var to: Given<DateText>?

  @Option(
    help: ArgumentHelp(
      "Skip the dates of a calendar's all-day events from --from to --to.", valueName: "file.ics"),
    completion: .file(extensions: ["ics"]))
  var holidays: String?

  func run(_ call: Call) async throws {
    let listed = try on.flatMap { try $0.value(for: "--on").dates }
    guard listed.count > 1 || from != nil || to != nil || holidays != nil else {
      return try await skipOne(call)
    }
    guard on.isEmpty || (from == nil && to == nil && holidays == nil) else {
      throw CommandFailure.usage(
        "--on cannot be used with --from, --to and --holidays", hint: "leave out --on")
    }
    guard holidays?.isEmpty != true else {
      throw CommandFailure.badValue("--holidays: the path is empty", hint: "give a file.ics")
    }
    let (from, to) = (try from.value(for: "--from"), try to.value(for: "--to"))
    try await call.withStore { store in
      let today = try await store.today()
      guard listed.isEmpty else {
        return try await skip(
          Set(listed.map { $0.date(.future, today: today) }), in: store, call)
      }
      let first = from?.date(.future, today: today) ?? today
      let last =
        to.map { Self.last($0, from: first, today: today) }
        ?? (holidays == nil ? first : first.adding(days: Store.maxSkipped - 1))
      guard first <= last, first.days(to: last) < Store.maxSkipped else {
        throw CommandFailure.badValue(
          first <= last
            ? "--to: \(last) is more than two years after \(first)"
            : "--to: \(last) is before \(first)",
          hint: "give at most \(Store.maxSkipped) dates, the first one as --from")
      }
      guard let holidays else { return try await skip(Set(first...last), in: store, call) }
      let calendar = try CalendarDates(URL(filePath: holidays), in: first...last)
      call.output.warn(calendar.ignored.warnings)
      guard !calendar.dates.isEmpty else {
        throw StoreError(
          code: .notFound,
          message: "\(holidays) has no all-day event from \(first) to \(last)",
          hint: "give other dates as --from and --to")
      }
      try await skip(calendar.dates, in: store, call)
    }
  }

  /// Returns the last date, which is after the first one if it is a weekday.
  private static func last(
    _ text: DateText, from first: CivilDate, today: CivilDate
  ) -> CivilDate {
    let (named, next) = (text.date(.future, today: today), text.date(.future, today: first))
    return named < first && first.days(to: next) < 7 ? next : named
  }

  private func skipOne(_ call: Call) async throws {
    var date = DateFlag()
    date.on = on.first.map { Given(argument: $0.text) }
    try await date.record(habits.habits, call, .future) { store, habit, date in
      let written = try await store.skip(habit.id, on: date)
      if let done = written.keptDone.first {
        let undo = "\(call.output.carillon) undo \(habit.argument) --on \(done)"
        return DatedRecord(
          written: written, text: "Not skipped, since it is done: \(habit.title)",
          addition: " To take that back: \(undo)")
      }
      let isNew = written.kinds.contains(.dayMarked)
      return DatedRecord(
        written: written, text: (isNew ? "Skipped: " : "Already skipped: ") + habit.title)
    }
  }

  /// Skips dates of all habits, and prints how many were not skipped before.
  private func skip(_ dates: Set<CivilDate>, in store: Store, _ call: Call) async throws {
    guard let first = dates.min(), let last = dates.max() else { return }
    let range = call.output.time.text(dates)
    var (records, lines): ([JSON], [String]) = ([], [])
    for habit in try await store.habits(named: habits.habits) {
      let warnings = [try await store.warning(about: habit, call.output)].compactMap(\.self)
      call.output.warn(warnings)
      let before = try await SnoozesBefore(of: habit, in: store)
      let (written, new) = try await store.skip(habit.id, dates: dates)
      let snoozes = try await before.changes(in: store, call.output.time)
      let record: JSON = [
        "habit": .text(habit.id.description), "count": .integer(dates.count),
        "newCount": .integer(new.count), "first": .text(first.description),
        "last": .text(last.description),
      ]
      records.append(record.merging(warnings: warnings).merging(written.json))
      let done = written.keptDone.count
      let known = dates.count - new.count - done
      let were = known == 1 ? "was" : "were"
      let already = known == 0 || new.isEmpty ? "" : "; \(known) of them \(were) skipped already"
      let stay = done == 1 ? "is done and stays so" : "are done and stay so"
      let kept = done == 0 ? "" : "; \(done) of them \(stay)"
      lines.append(
        (new.isEmpty ? (done > 0 ? "Not skipped: " : "Already skipped: ") : "Skipped: ")
          + "\(habit.title) on \(range)\(already)\(kept).\(snoozes)")
    }
    let isRecorded = lines.contains { $0.hasPrefix("Skipped") }
    try call.output.confirmAll(records, recorded: isRecorded) { lines }
  }
}

extension LocalTime {
  /// `Tue 24 Nov`, `2 dates: Tue 24 Nov and Thu 26 Nov`, `6 dates, Tue 24 Nov to Sun 29 Nov`, or
  /// `9 of the dates from Tue 24 Nov to Fri 24 Dec 2027`.
  fileprivate func text(_ dates: Set<CivilDate>) -> String {
    let sorted = dates.sorted()
    guard let first = sorted.first, let last = sorted.last, first != last else {
      return sorted.first.map(text) ?? ""
    }
    let range = "\(text(first)) to \(text(last))"
    if sorted.count == first.days(to: last) + 1 { return "\(sorted.count) dates, \(range)" }
    guard sorted.count <= 7 else { return "\(sorted.count) of the dates from \(range)" }
    let names = sorted.dropLast().map(text).joined(separator: ", ")
    return "\(sorted.count) dates: \(names) and \(text(last))"
  }
}

extension [ImportReport.Reason: ImportReport.Loss] {
  /// A warning for each reason for which dates of a calendar may be missing.
  fileprivate var warnings: [String] {
    let reasons: [ImportReport.Reason] = [.dates, .recurrences, .zones, .values]
    return reasons.compactMap { reason in
      self[reason].map { "\($0.count.counted("event")) left out, the first at \($0.first)" }
    }
  }
}
