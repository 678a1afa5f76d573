import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonImport
import CarillonModel
import Foundation

/// `carillon export`: writes complete events, a table as CSV, or the file of another app.
struct ExportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all events as NDJSON, a table as CSV, or a file for another app.",
    discussion: """
      The formats are:
        events   each line is one event in JSON, which another replica can import
        csv      one table in RFC 4180 and UTF-8, with a header line
        ics      the reminders as events of a calendar, with alarms
        loop     a backup of Loop Habit Tracker, with the habits and their dates

      In csv, a text that a spreadsheet would run as a formula gets a leading apostrophe.

      What a calendar or Loop has no place for is left out, and a warning names it: places, \
      intervals of elapsed time, and of reminders the conditions, quiet hours, stops, sounds and \
      threads; in a calendar also targets, goals and owners, in Loop all reminders but one time on \
      weekdays. In later exports, an event keeps its UID and a habit its ID in Loop.

      --to writes a new file that only its owner can read; an existing file is not changed.

      Examples:
        carillon export --to events.ndjson
        carillon export --format csv --table habits
        carillon export --format ics --to habits.ics
        carillon export --format loop --to loop.db
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case events, csv, ics, loop
  }

  enum Table: String, ExpressibleByArgument, CaseIterable {
    case habits, entries, receipts
  }

  @OptionGroup var global: GlobalOptions
  @Option(help: "The format: events, csv, ics or loop.") var format = Format.events
  @Option(help: "The table for csv: habits, entries or receipts (default: entries).")
  var table: Table?
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "The new file (default: standard output; loop needs a file).", valueName: "file"),
    completion: .file())
  var file: String?

  func run(_ call: Call) async throws {
    try requireFlags()
    try await call.withStore { store in
      let report = try await ExportFile(path: file).write { output, path in
        try await write(store, to: output, path, call)
      }
      for text in report?.lossTexts() ?? [] { call.output.warn(text) }
      guard let file else { return }
      let place: JSON = ["format": .text(format.rawValue), "file": .text(file)]
      try call.output.answer(place.merging(report?.json ?? [:])) {
        call.output.isQuiet ? "" : "Wrote \(report?.counts ?? format.rawValue) to \(file).\n"
      }
    }
  }

  private func requireFlags() throws(CommandFailure) {
    guard format == .csv || table == nil else {
      throw .usage("--table requires --format csv", hint: "add --format csv")
    }
    guard format == .events || file != nil || !global.json else {
      throw .usage(
        "--json and --format \(format.rawValue) cannot be used together on standard output",
        hint: "give one of them, or --to FILE")
    }
    guard format != .loop || file != nil else {
      throw .usage("--format loop writes a database, not text", hint: "add --to FILE")
    }
  }

  /// Writes the export.
  ///
  /// - Parameter path: The file of the output; nil for standard output.
  /// - Returns: What another app has no place for; nil for Carillon's own formats.
  private func write(
    _ store: Store, to output: ByteOutput, _ path: String?, _ call: Call
  ) async throws -> ExportReport? {
    let time = call.output.time
    var buffer = LineBuffer(to: output)
    switch (format, table ?? .entries) {
    case (.events, _): try await writeEvents(of: store, to: &buffer, call)
    case (.csv, .habits):
      try await HabitTable(time: time).write(store) { try buffer.append($0) }
    case (.csv, .entries):
      try await EntryTable(time: time).write(store) { try buffer.append($0) }
    case (.csv, .receipts):
      try await ReceiptTable(time: time).write(store) { try buffer.append($0) }
    case (.ics, _):
      let calendar = try await store.exportCalendar()
      try output.write(calendar.text)
      return calendar.report
    case (.loop, _): return try await store.exportLoop(to: URL(filePath: path ?? ""))
    }
    try buffer.flush()
    return nil
  }

  private func writeEvents(
    of store: Store, to buffer: inout LineBuffer, _ call: Call
  ) async throws {
    let missingCount = try await EventLines.write(store) { try buffer.append($0) }
    try buffer.flush()
    try Task.checkCancellation()
    if missingCount > 0 {
      call.output.warn(
        "exported only the ID of \(missingCount.counted("event")): the content is damaged or "
          + "missing here; repair it: \(call.output.carillon) sync PEER --audit")
      throw ExitCode(ExitStatus.no.rawValue)
    }
  }
}
