import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon entry`: the verbs for what was recorded as done.
struct EntryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entry", abstract: "List, change and remove what was recorded as done.",
    subcommands: [EntryListCommand.self, EntryEditCommand.self, EntryRemoveCommand.self])
}

/// `carillon entry list`: lists the entries of a habit, the newest first.
struct EntryListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the entries of a habit in the last 14 days or the given dates, newest first.",
    discussion: """
      Examples:
        carillon entry list Water
        carillon entry list Water --on yesterday
        carillon entry list Water --from 2026-11-01 --to 2026-11-20
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @Option(
    help: ArgumentHelp("Only the entries of this date, such as yesterday.", valueName: "date"))
  var on: Given<DateText>?
  @Option(
    help: ArgumentHelp("The first date (default: 13 days before --to).", valueName: "date"))
  var from: Given<DateText>?
  @Option(help: ArgumentHelp("The last date (default: today).", valueName: "date"))
  var to: Given<DateText>?

  func run(_ call: Call) async throws {
    guard on == nil || from == nil && to == nil else {
      throw CommandFailure.usage(
        "--on cannot be used with --from and --to", hint: "give one of them")
    }
    try await call.withStore { store in
      let found = try await habit.find(in: store, prefer: .any)
      let today = try await store.today()
      let range = try range(today)
      let document = try await EntriesDocument(store, found, in: range, call.output.time)
      let entries = document.entries
      let others =
        entries.isEmpty ? try await store.entryCount(of: found.id, in: CivilDate.accepted) : nil
      try call.output.answer(document.json) {
        guard !entries.isEmpty else {
          let rest = others.map { text($0.count, of: found, in: $0.dates, call.output) } ?? ""
          return "No entries of \(found.title.printable) then.\(rest)\n"
        }
        return Table(entries: entries, call.output.time).rendered(on: call.output.terminal)
      }
      if !entries.isEmpty, from == nil, on == nil {
        try await noteOlder(than: range.lowerBound, of: found, in: store, call.output)
      }
    }
  }

  /// Says how many entries are before the dates that are listed if none are given.
  private func noteOlder(
    than first: CivilDate, of habit: Habit, in store: Store, _ output: Output
  ) async throws {
    let dates = CivilDate.accepted.lowerBound...first.adding(days: -1)
    guard let older = try await store.entryCount(of: habit.id, in: dates) else { return }
    let (entries, them) = older.count == 1 ? ("entry is", "it") : ("entries are", "them")
    output.note(
      "\(older.count) older \(entries) not listed; to list \(them): \(output.carillon) entry list "
        + "\(habit.argument) --from \(older.dates.lowerBound)")
  }

  /// Returns how many entries there are outside of the range, and how to list them.
  private func text(
    _ count: Int, of habit: Habit, in dates: ClosedRange<CivilDate>, _ output: Output
  ) -> String {
    let (first, last) = (dates.lowerBound, dates.upperBound)
    let (from, to) = (output.time.text(first), output.time.text(last))
    let days = first == last ? "on \(from)" : "from \(from) to \(to)"
    let (are, them) = count == 1 ? ("There is", "it") : ("There are", "them")
    return " \(are) \(count.counted("other")) \(days); to list \(them): "
      + "\(output.carillon) entry list \(habit.argument) --from \(first) --to \(last)"
  }

  private func range(_ today: CivilDate) throws -> ClosedRange<CivilDate> {
    if let date = try on.value(for: "--on")?.date(.past, today: today) { return date...date }
    let last = try to.value(for: "--to")?.date(.past, today: today) ?? today
    let first = try from.value(for: "--from")?.date(.past, today: today) ?? last.adding(days: -13)
    guard first <= last else {
      throw CommandFailure.badValue(
        "--from: \(first) is after the last date, \(last)", hint: "give an earlier date")
    }
    return first...last
  }
}

/// `carillon entry edit`: changes an entry; options that are not given leave it unchanged.
struct EntryEditCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change an entry.",
    discussion: """
      Only the given values change; an empty note ("") removes it. The entry gets a new ID. An \
      imported entry without a time of day gets one only with --at. To see the IDs, run:
        carillon entry list HABIT

      Example:
        carillon entry edit 3f2a --amount 2 --at 7:12
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var entry: EntryArgument
  @OptionGroup var flags: EntryFlags
  @Option(help: ArgumentHelp("The date for which it counts.", valueName: "date"))
  var on: Given<DateText>?

  func run(_ call: Call) async throws {
    guard flags.isGiven || on != nil else {
      throw CommandFailure.usage(
        "no change is given", hint: "give at least one of --amount, --at, --note and --on")
    }
    let (amount, note) = (try flags.amount.value(for: "--amount"), flags.note)
    try await call.withStore { store in
      let found = try await entry.find(in: store)
      let today = try await store.today()
      let day = try on.value(for: "--on")?.date(.past, today: today)
      let date = day ?? found.date
      let at = try await flags.moment(of: found.habit, on: day, or: date, in: store, call)
      let source = at == nil ? found.source : nil
      if let source { try await requireFree(date, for: found, from: source, in: store, call) }
      let changed = found.changed(date: date, amount: amount, at: at, note: note)
      let before = try await SnoozesBefore(of: found.habit, in: store)
      let written = try await store.replace(found, with: changed)
      let snoozes = try await before.changes(in: store, call.output.time)
      let ids: JSON = [
        "habit": .text(found.habit.id.description), "entry": .text(written.entry),
      ]
      try call.output.confirm(written, ids) {
        "Changed: \(changed.text(call.output.time))."
          + (written.entry.flatMap { $0 == found.id ? nil : $0 }
            .map { " Its ID is now \($0.description.prefix(8))." } ?? "")
          + snoozes
      }
    }
  }

  /// Requires that a date has no other entry that the same app recorded without a time, since the
  /// two would be one.
  private func requireFree(
    _ date: CivilDate, for entry: FoundEntry, from source: String, in store: Store, _ call: Call
  ) async throws {
    guard try await store.isTaken(date, for: entry, from: source) else { return }
    throw CommandFailure.badValue(
      "\(entry.habit.title) has another imported entry without a time on "
        + "\(call.output.time.text(date))", hint: "give a time of day too, such as --at 12:00")
  }
}

/// `carillon entry remove`: removes an entry.
struct EntryRemoveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an entry.",
    discussion: """
      To see the IDs, run:
        carillon entry list HABIT
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var entry: EntryArgument

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let found = try await entry.find(in: store)
      let before = try await SnoozesBefore(of: found.habit, in: store)
      let written = try await store.replaceEntry(
        found.id, of: found.habit.id, on: found.date, with: nil)
      let snoozes = try await before.changes(in: store, call.output.time)
      try call.output.confirm(written, ["habit": .text(found.habit.id.description)]) {
        "Removed: \(found.text(call.output.time)).\(snoozes)"
      }
    }
  }
}
