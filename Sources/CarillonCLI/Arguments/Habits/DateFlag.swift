import ArgumentParser
import Carillon
import CarillonDocuments

/// `[--on DATE]`: the date of a habit for which a verb records something.
struct DateFlag: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The date, such as yesterday, mon or 2026-11-20 (default: today, except as described "
        + "above).", valueName: "date"))
  var on: Given<DateText>?

  /// Returns the date that is given, or the default one of the verb.
  ///
  /// - Parameter direction: Where to search for a weekday.
  func date(_ direction: DateText.Direction, in store: Store) async throws -> HabitDate {
    guard let on = try on.value(for: "--on") else { return .due }
    return .date(on.date(direction, today: try await store.today()))
  }
}

extension DateFlag {
  /// No date, as the parser would create it.
  static var none: DateFlag {
    var flag = DateFlag()
    flag.on = nil
    return flag
  }
}

/// What a verb recorded for one habit.
struct DatedRecord {
  let written: Written
  /// The answer, such as `Done: Walk`, without the date and the full stop.
  let text: String
  /// A sentence after it, with a space before it; or an empty text.
  var addition = ""
  /// Warnings about what was recorded.
  var warnings: [String] = []
}

extension Written {
  /// The kinds of the written events.
  var kinds: Set<Payload.Kind> { Set(events.map(\.kind)) }
}

extension DateFlag {
  /// Records something for a date of each habit, and prints what.
  ///
  /// All habits are found before anything is recorded.
  ///
  /// - Parameters:
  ///   - direction: Where to search for a weekday.
  ///   - ids: Members of the JSON answer besides the habit and the date.
  ///   - warning: Returns a warning about the date, if there is one.
  ///   - body: Records it for one habit and date.
  func record(
    _ names: [String], _ call: Call, _ direction: DateText.Direction = .past, ids: JSON = [:],
    warning: (Store, HabitDate) async throws -> String? = { _, _ in nil },
    _ body: (Store, Habit, HabitDate) async throws -> DatedRecord
  ) async throws {
    _ = try on.value(for: "--on")
    try await call.withStore { store in
      let date = try await date(direction, in: store)
      let habits = try await store.habits(named: names)
      let shared = try await warning(store, date)
      var (records, lines): ([JSON], [String]) = ([], [])
      var isRecorded = false
      for habit in habits {
        var warnings = [try await store.warning(about: habit, call.output), shared]
          .compactMap(\.self)
        call.output.warn(warnings)
        let before = try await SnoozesBefore(of: habit, in: store)
        let record = try await body(store, habit, date)
        call.output.warn(record.warnings)
        warnings += record.warnings
        let place: JSON = [
          "habit": .text(habit.id.description),
          "date": .text(record.written.date?.description),
        ]
        records.append(
          place.merging(ids).merging(warnings: warnings).merging(record.written.json))
        isRecorded = isRecorded || !record.written.events.isEmpty
        let snoozes = try await before.changes(in: store, call.output.time)
        lines.append(
          record.text + suffix(of: record.written, call.output.time) + snoozes + record.addition)
      }
      try call.output.confirmAll(records, recorded: isRecorded) { lines }
    }
  }

  /// Returns ` on Fri 20 Nov` if the date was given or is not the calendar's today, then a full
  /// stop.
  private func suffix(of written: Written, _ time: LocalTime) -> String {
    let today = time.date(of: time.now)
    let date = written.date.map { on == nil && $0 == today ? "" : " on \(time.text($0))" } ?? ""
    return "\(date)."
  }
}
