import Carillon
import CarillonDocuments
import CarillonImport
import CarillonModel
import Foundation

/// Imports the habits of another app, and reports what was added and what could not be imported.
struct ForeignImport {
  let file: String
  let format: ImportFormat

  func run(_ call: Call) async throws {
    guard file != "-" else {
      throw CommandFailure.usage(
        "--format \(format.rawValue) cannot read standard input, since it reads the file twice",
        hint: "give the file's path")
    }
    let bar = ProgressBar("importing", unit: "rows", isQuiet: call.output.isQuiet)
    let (report, before, after) = try await call.withStore { store in
      defer { bar.finish() }
      let before = try await store.habits()
      let report = try await store.importHabits(from: URL(filePath: file), format: format) {
        bar.update(UInt64($0.done), of: UInt64($0.total))
      }
      return (
        report, before, try await store.habits(includingArchived: true, includingDeleted: true)
      )
    }
    let older = Set(report.older)
    let leftOut = Dictionary(grouping: report.deleted) { $0 }
    let used = after.filter { !$0.isArchived && !$0.isDeleted }
    let warnings =
      after.filter { older.contains($0.id) }.map { $0.olderWarning(call.output.carillon) }
      + after.compactMap { habit in
        leftOut[habit.id].map { habit.deletedWarning($0.count, call.output.carillon) }
      }
      + used.byTitle.repeating(before.byTitle).map { habits in
        "\(habits.count) habits have the title \(habits[0].title.printable); to rename one of "
          + "them: \(call.output.carillon) habit edit \(habits[0].id) --title TITLE; to hide it: "
          + "\(call.output.carillon) habit archive \(habits[0].id)"
      }
    call.output.warn(warnings)
    try call.output.answer(report.json(format).merging(warnings: warnings), recorded: true) {
      call.output.isQuiet ? "" : text(report, call)
    }
  }

  private func text(_ report: ImportReport, _ call: Call) -> String {
    let name = URL(filePath: file).lastPathComponent
    let added = [
      ("habits", report.habits), ("schedules", report.schedules), ("entries", report.entries),
      ("skips", report.skips), ("marks", report.marks), ("notes", report.notes),
    ]
    var table = Table([
      .init(title: "from \(name) (\(format.rawValue))", canShrink: true),
      .init(title: "added", alignment: .right),
    ])
    for (name, count) in added { table.add([.init(name), .init(count.grouped)]) }
    let isKnown = report.seen > 0 && report.updated == 0 && added.allSatisfy { $0.1 == 0 }
    let known = "of \(name.printable) (\(format.rawValue))"
    let all =
      report.seen == 1
      ? "The record \(known) was already here.\n"
      : "All \(report.seen.counted("record")) \(known) were already here.\n"
    var text = isKnown ? all : table.rendered(on: call.output.terminal)
    if report.updated > 0 {
      text += "Updated from the calendar: \(report.updated.grouped).\n"
    }
    if report.exported > 0 {
      text +=
        "Events that this store exported, left unchanged: \(report.exported.grouped). To change a "
        + "reminder: \(call.output.carillon) schedule edit SCHEDULE\n"
    }
    if report.overflow > 0 {
      text +=
        "Events beyond the \(Habit.maxSchedules) reminders of one habit, in a further habit: "
        + "\(report.overflow.grouped).\n"
    }
    if report.repeated > 0 {
      text += "Duplicate rows in the file, left out: \(report.repeated.grouped).\n"
    }
    if report.entries > 0 {
      text += "The file has dates without times of day, so these entries have none.\n"
    }
    if report.seen > 0, !isKnown {
      text += "Already imported, left unchanged: \(report.seen.grouped).\n"
    }
    guard !report.ignored.isEmpty else { return text }
    var losses = Table([
      .init(title: "lost or changed", canShrink: true), .init(title: "", alignment: .right),
      .init(title: "first", canShrink: true),
    ])
    for (reason, loss) in report.losses {
      losses.add([.init(reason.text), .init(loss.count.grouped), .init(loss.first, .dim)])
    }
    return text + "\n" + losses.rendered(on: call.output.terminal)
  }
}

extension [Habit] {
  /// The habits by their titles without regard to case.
  fileprivate var byTitle: [String: [Habit]] {
    Dictionary(grouping: self) { $0.title.lowercased() }
  }
}

extension Habit {
  /// The warning that a file is older than the last import of the habit.
  fileprivate func olderWarning(_ carillon: String) -> String {
    "\(title.printable) is left unchanged, because its last import was of a newer file; if this "
      + "file is the newest, change an event in the calendar and export it again; to see the "
      + "reminders: \(carillon) habit show \(id); to remove one: "
      + "\(carillon) schedule remove SCHEDULE"
  }

  /// The warning that new events are left out, because the habit of their siblings was deleted.
  fileprivate func deletedWarning(_ count: Int, _ carillon: String) -> String {
    "\(title.printable) was deleted, so \(count.counted("new event")) of it stays out; to have "
      + "the habit back with all its events: \(carillon) habit restore \(id) --again; then change "
      + "an event in the calendar, export it again, and import it"
  }
}

extension [String: [Habit]] {
  /// Returns the habits of each title that several have, and more than before.
  fileprivate func repeating(_ before: Self) -> [[Habit]] {
    filter { Swift.max(before[$0.key]?.count ?? 0, 1) < $0.value.count }.values
      .sorted { $0[0].title < $1[0].title }
  }
}

extension ImportReport.Reason {
  fileprivate var text: String {
    switch self {
    case .colors: "colors"
    case .derived: "dates that the other app marked as done automatically"
    case .dates: "dates not at midnight UTC or not from 1970 to 2200; ends before the start"
    case .values: "unknown values"
    case .orphans: "repetitions of a habit that does not exist"
    case .reminders: "reminders without a time or a weekday"
    case .goals: "goals of more than 1000 times in 366 days"
    case .targets: "targets out of range"
    case .shortened: "texts shortened; the rest of titles and questions is in the notes"
    case .alarms: "alarms by e-mail, at an unknown place, or out of range"
    case .recurrences: "events with an unsupported recurrence rule, not imported"
    case .zones: "events in an unknown time zone, not imported"
    case .cancelled: "cancelled events, not imported, or archived if imported before"
    case .withoutAlarm: "events without an alarm, imported without a reminder"
    case .tooManyAlarms: "alarms of an event after the first 16, or without room in its habit"
    case .repeats: "events with another version in the file"
    case .components: "parts that are neither events nor to-dos"
    case .properties: "other properties, such as attendees and attachments"
    case .seconds: "seconds of a time"
    }
  }
}
