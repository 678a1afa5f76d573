import Carillon
import Foundation

/// Adds the habits of another app, and tells what was added and what had no place.
struct ForeignImport {
  let file: String
  let format: ImportFormat

  func run(_ call: Call) async throws {
    guard file != "-" else {
      throw CommandFailure.usage(
        "--format \(format.rawValue) cannot read standard input: it reads the file twice",
        hint: "give the file's path")
    }
    let bar = ProgressBar("importing", unit: "rows", isQuiet: call.output.isQuiet)
    let report = try await call.withStore { store in
      defer { bar.finish() }
      return try await store.importHabits(from: URL(filePath: file), format: format) { progress in
        bar.update(UInt64(progress.done), of: UInt64(progress.total))
      }
    }
    try call.output.answer(report.json, recorded: true) {
      call.output.isQuiet ? "" : text(report, call)
    }
  }

  private func text(_ report: ImportReport, _ call: Call) -> String {
    let added = [
      ("habits", report.habits), ("schedules", report.schedules), ("entries", report.entries),
      ("skips", report.skips), ("marks", report.marks), ("notes", report.notes),
    ]
    var table = Table([
      .init(title: "from \(URL(filePath: file).lastPathComponent)", canShrink: true),
      .init(title: "added", alignment: .right),
    ])
    for (name, count) in added { table.add([.init(name), .init(count.grouped)]) }
    var text = table.rendered(on: call.output.terminal)
    if report.updated > 0 {
      text += "Changed in the calendar, and changed here: \(report.updated.grouped).\n"
    }
    if report.repeated > 0 {
      text += "Rows that repeat others of the file, left out: \(report.repeated.grouped).\n"
    }
    if report.seen > 0 { text += "Seen before, left as they are: \(report.seen.grouped).\n" }
    guard !report.ignored.isEmpty else { return text }
    var losses = Table([
      .init(title: "without a place", canShrink: true), .init(title: "", alignment: .right),
      .init(title: "first", canShrink: true),
    ])
    for (reason, loss) in report.losses {
      losses.add([.init(reason.text), .init(loss.count.grouped), .init(loss.first, .dim)])
    }
    return text + "\n" + losses.rendered(on: call.output.terminal)
  }
}

extension ImportReport {
  /// `{habits,schedules,entries,skips,marks,notes,updated,seen,repeated,ignored{...}}`.
  fileprivate var json: JSON {
    [
      "habits": .integer(habits), "schedules": .integer(schedules), "entries": .integer(entries),
      "skips": .integer(skips), "marks": .integer(marks),
      "notes": .integer(notes),
      "updated": .integer(updated), "seen": .integer(seen), "repeated": .integer(repeated),
      "ignored": .object(losses.map { (key: $0.0.rawValue, value: .integer($0.1.count)) }),
    ]
  }

  /// In the order of the reasons.
  fileprivate var losses: [(Reason, Loss)] {
    Reason.allCases.compactMap { reason in ignored[reason].map { (reason, $0) } }
  }
}

extension ImportReport.Reason {
  fileprivate var text: String {
    switch self {
    case .colors: "colors"
    case .derived: "dates done by a rule, which follow from the others"
    case .dates: "dates that are no midnight UTC, or not from 1970 to 2200"
    case .values: "values that say nothing known"
    case .strays: "repetitions of a habit that is not there"
    case .reminders: "reminders at no time, or on no day"
    case .goals: "goals beyond 1000 times in 366 days"
    case .targets: "targets beyond the limits"
    case .shortened: "texts shortened; the rest of titles and questions is in the notes"
    case .alarms: "alarms by e-mail, at an unknown place, or beyond the limits"
    case .recurrences: "events that recur by a rule that is not understood, not imported"
    case .zones: "events in a zone that is not known, not imported"
    case .cancelled: "events called off, not imported, or archived"
    case .unreminded: "events without an alarm, imported without a reminder"
    case .crowded: "alarms beyond 16 of one event"
    case .repeats: "events of which another version is in the file"
    case .components: "parts that are neither events nor to-dos"
    case .properties: "attendees, attachments and the like"
    case .seconds: "seconds of a time"
    }
  }
}
