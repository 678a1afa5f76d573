import ArgumentParser
import Carillon
import CarillonImport
import CarillonModel
import Foundation

/// The flags for what an entry says: how much, when, and a note.
struct EntryFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The amount, 0 to 1000000000, with at most 3 decimals (default: 1).", valueName: "n"))
  var amount: Given<Amount>?

  @Option(
    help: ArgumentHelp(
      "When it was done, such as 7:12, on the date (default: now).", valueName: "time"))
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
  /// - Throws: `notFound`, or `ambiguous` with the candidates.
  func find(in store: Store) async throws -> FoundEntry {
    let text = entry.lowercased()
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    let known = Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) })
    var found: [FoundEntry] = []
    if text.utf8.count >= 4 {
      try await store.forEachRecord(after: nil) { record in
        guard let entry = known[record.habit].flatMap({ FoundEntry(record, of: $0) }) else {
          return true
        }
        if entry.id.description.hasPrefix(text) { found.append(entry) }
        return found.count < 3
      }
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

/// An entry with its habit.
struct FoundEntry {
  let habit: Habit
  let id: EntryID
  let date: CivilDate
  let amount: Amount
  let at: Instant
  let note: String?

  init(
    habit: Habit, id: EntryID, date: CivilDate, amount: Amount, at: Instant, note: String?
  ) {
    (self.habit, self.id, self.date) = (habit, id, date)
    (self.amount, self.at, self.note) = (amount, at, note)
  }

  /// Creates the entry of a record, or returns nil if the record is a mark or a note.
  init?(_ record: DayRecord, of habit: Habit) {
    guard case .done(let id, let amount, let at, let note) = record.fact else { return nil }
    self.init(habit: habit, id: id, date: record.date, amount: amount, at: at, note: note)
  }

  /// When it was done; nil if another app recorded its date only.
  var time: Instant? { source == nil ? at : nil }

  /// The app that recorded its date without a time of day, or nil.
  var source: String? { ImportedTime.source(of: id, of: habit.id, on: date, at: at) }

  /// The amount with the habit's unit.
  var amountText: String { "\(amount)\(habit.unit.map { " \($0)" } ?? "")" }

  /// `Water 2 glasses on Mon 23 Nov, 07:12`.
  func text(_ time: LocalTime) -> String {
    "\(habit.title) \(amountText) on \(time.text(date))"
      + (self.time.map { ", done \(time.text($0))" } ?? "")
  }

  /// `{entry,date,amount,at,note}`.
  func json(_ time: LocalTime) -> JSON {
    [
      "entry": .text(id.description), "date": .text(date.description),
      "amount": .integer(amount.thousandths), "at": .text(self.time.map(time.rfc3339)),
      "note": .text(note),
    ]
  }
}

extension Store {
  /// Returns the entries of a habit in a range of dates, by date and time.
  func entries(of habit: Habit, in range: ClosedRange<CivilDate>) async throws -> [FoundEntry] {
    var found: [FoundEntry] = []
    // Sorts before all records of its date.
    let before = DayRecord(habit: habit.id, date: range.lowerBound, fact: .marked(.clear))
    try await forEachRecord(after: before, inPagesOf: 100) { record in
      guard record.habit == habit.id, record.date <= range.upperBound else { return false }
      if let entry = FoundEntry(record, of: habit) { found.append(entry) }
      return true
    }
    return found.sorted { ($0.date, $0.at, $0.id) < ($1.date, $1.at, $1.id) }
  }

  /// Returns the last entries of a habit in a range of dates, by date and time.
  func lastEntries(
    _ count: Int, of habit: Habit, in range: ClosedRange<CivilDate>
  ) async throws -> [FoundEntry] {
    // They are usually recent.
    let weeks = max(range.lowerBound, range.upperBound.adding(days: -13))...range.upperBound
    let recent = try await entries(of: habit, in: weeks)
    let found = recent.count < count ? try await entries(of: habit, in: range) : recent
    return found.suffix(count)
  }

  /// Calls a function with each record after another, by habit and date, until it returns false.
  fileprivate func forEachRecord(
    after last: DayRecord?, inPagesOf limit: Int = 1_000, _ body: (DayRecord) -> Bool
  ) async throws {
    var last = last
    while true {
      let records = try await records(after: last, limit: limit)
      guard records.allSatisfy(body), let end = records.last else { return }
      last = end
      try Task.checkCancellation()
    }
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
