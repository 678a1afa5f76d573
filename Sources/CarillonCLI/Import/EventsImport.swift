import Carillon
import CarillonDocuments
import CarillonModel

/// Imports complete events from NDJSON.
struct EventsImport {
  let file: String

  func run(_ call: Call) async throws {
    let lines = try InputFile(file)
    let bar = ProgressBar("importing", isQuiet: call.output.isQuiet)
    let events = try await call.withStore { store in
      defer { bar.finish() }
      return try await imported(lines, to: store, bar)
    }
    if events.unconfirmedCount > 0 {
      call.output.warn(
        "left out \(events.unconfirmedCount.counted("event")) without content: "
          + "no later event confirms the ID")
    }
    try call.output.answer(events.json, recorded: events.addedCount > 0) {
      call.output.isQuiet ? "" : Self.text(events)
    }
    if let problem = events.problem {
      throw CommandFailure(
        status: .no, code: "incomplete", message: problem.message, hint: problem.hint ?? "")
    }
  }

  private static func text(_ imported: EventLinesImport) -> String {
    let events = imported.readCount.counted("event")
    let (added, seen) = (imported.addedCount.grouped, imported.seenCount)
    return switch (imported.readCount, seen) {
    case (0, _): "There are no events to import.\n"
    case (1, 1): "The event was already here.\n"
    case (_, imported.readCount): "All \(events) were already here.\n"
    case (_, 0): "Imported \(added) of \(events).\n"
    default: "Imported \(added) of \(events); \(seen.grouped) were already here.\n"
    }
  }

  private func imported(
    _ lines: InputFile, to store: Store, _ bar: ProgressBar
  ) async throws -> EventLinesImport {
    var reader = try lines.lines()
    var events = EventLinesImport()
    do {
      try await events.add(to: store, progress: { bar.update(UInt64($0), of: nil) }) {
        try reader.next()
      }
      return events
    } catch let error as EventLinesImport.LineError {
      let before =
        events.addedCount == 0 ? "" : "\(events.addedCount) events before it were imported; "
      throw CommandFailure.badData(
        "\(lines.name) line \(error.line): \(error.cause.message)",
        hint: before
          + (NextStep.specific(to: error.cause) ?? "correct the line and run the command again"))
    }
  }
}
