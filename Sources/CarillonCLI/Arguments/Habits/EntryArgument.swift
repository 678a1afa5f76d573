import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The flags for what an entry says: how much, when, and a note.
struct EntryFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The amount, 0 to 1000000000, with at most 3 decimals.", valueName: "n"))
  var amount: Given<Amount>?

  @Option(
    help: ArgumentHelp(
      "When it was done, such as 7:12, on the date.", valueName: "time"))
  var at: Given<InstantText>?

  @Option(help: ArgumentHelp("A note about it, at most 2,000 bytes.", valueName: "text"))
  var note: String?

  /// Whether any flag was given.
  var isGiven: Bool { amount != nil || at != nil || note != nil }

  /// Returns the moment of `--at`, or nil if it is not given.
  ///
  /// - Parameters:
  ///   - date: The date of `--on`, which a moment with a date must be on; nil if it is not given.
  ///   - other: The date of a time alone if `--on` is not given. A time before the start of the
  ///     day is that of the night after the date, or before it if that is still to come.
  /// - Throws: A usage error if it is malformed, in the future, or not on the date.
  func moment(
    of habit: Habit, on date: CivilDate?, or other: CivilDate, in store: Store, _ call: Call
  ) async throws -> Instant? {
    guard let text = try at.value(for: "--at") else { return nil }
    let (settings, today) = (try await store.settings(), try await store.today())
    let day = date ?? other
    var moment = text.resolved(in: call.zone, .past, today: today, alone: day)
    if !text.namesDate, call.output.time.isBefore(settings.dayStart, moment.instant) {
      let night = text.resolved(
        in: call.zone, .past, today: today, alone: day.adding(days: 1))
      if night.instant <= call.output.time.now { moment = night }
    }
    if let date, text.namesDate {
      try require(moment.instant, of: habit, on: date, dayStart: settings.dayStart, call.output)
    }
    if let warning = moment.warning(for: "--at") { call.output.warn(warning) }
    guard moment.instant <= call.output.time.now else {
      throw CommandFailure.badValue(
        "--at: \(call.output.time.text(moment.instant)) is in the future",
        hint: text.namesDate || date != nil
          ? "give \(InstantText.form)" : "if it was yesterday, give --on yesterday too")
    }
    return moment.instant
  }

  /// Requires that a moment is on a date, in the zone of the device or of a schedule.
  private func require(
    _ moment: Instant, of habit: Habit, on date: CivilDate, dayStart: TimeOfDay, _ output: Output
  ) throws(CommandFailure) {
    let fixed = habit.schedules.compactMap { schedule in
      if case .fixed(let name) = schedule.zone { TimeZone(identifier: name) } else { nil }
    }
    let isOnDate = ([output.time.zone] + fixed).contains { zone in
      let calendar = CivilCalendar(zone: zone)
      return calendar.dateTime(at: moment).date == date
        || calendar.logicalDate(at: moment, dayStart: dayStart) == date
    }
    guard !isOnDate else { return }
    throw .badValue(
      "--at: \(output.time.text(moment)) is not on \(output.time.text(date)), the date of --on",
      hint: "give a time alone, such as --at 7:00, or leave out --on")
  }
}

/// The ENTRY argument: an ID, or at least its first 4 characters.
struct EntryArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The entry's ID; its first 4 characters suffice."))
  var entry: String

  /// Finds the entry in a store.
  ///
  /// - Complexity: O(entries of the store).
  /// - Throws: A usage error if the text is too short, `notFound`, or `ambiguous` with the
  ///   candidates.
  func find(in store: Store) async throws -> FoundEntry {
    let text = entry.lowercased()
    guard text.utf8.count >= IDPrefix.leastCharacters else {
      throw CommandFailure.badValue(
        "\"\(entry)\" is too short for an ID; at least \(IDPrefix.leastCharacters) characters "
          + "are needed", hint: "give more of the ID: carillon entry list HABIT")
    }
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    let known = Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) })
    var found: [FoundEntry] = []
    try await store.forEachRecord(after: nil) { record in
      guard let entry = known[record.habit].flatMap({ FoundEntry(record, of: $0) }) else {
        return true
      }
      if entry.id.description.hasPrefix(text) { found.append(entry) }
      return found.count < 3
    }
    guard let first = found.first else {
      throw CommandFailure.notFound(
        "there is no entry \"\(entry)\"", hint: "list a habit's entries: carillon entry list HABIT")
    }
    guard found.count == 1 else {
      throw CommandFailure.ambiguous(
        "\"\(entry)\" matches several entries: "
          + found.map { "\($0.id) of \($0.habit.title)" }.joined(separator: ", "),
        hint: "give more characters of the ID")
    }
    return first
  }
}

extension Table {
  /// Creates a table of entries.
  init(entries: some Sequence<FoundEntry>, _ time: LocalTime) {
    self.init([
      .init(title: "date"), .init(title: "done"), .init(title: "amount", alignment: .right),
      .init(title: "note", wraps: true), .init(title: "entry"),
    ])
    for entry in entries {
      add([
        .init(time.text(entry.date)), .init(entry.time.map { time.text($0) } ?? ""),
        .init(entry.amountText), .init(entry.note ?? ""),
        .init(String(entry.id.description.prefix(8)), .dim),
      ])
    }
  }
}
