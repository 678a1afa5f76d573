import ArgumentParser
import Carillon

/// `carillon export`: whole events, one JSON object a line, or a table for a spreadsheet.
struct ExportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all events as NDJSON, or a table as CSV.",
    discussion: """
      events: NDJSON for import elsewhere. csv: one table, RFC 4180 in UTF-8, with a line of \
      titles; a text that a spreadsheet would compute has an apostrophe before it.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case events, csv
  }

  enum Table: String, ExpressibleByArgument, CaseIterable {
    case habits, entries, receipts
  }

  @OptionGroup var global: GlobalOptions
  @Option(help: "The form: events or csv.") var format = Format.events
  @Option(help: "Which table of a CSV: habits, entries or receipts; by default entries.")
  var table: Table?

  func run(_ call: Call) async throws {
    guard format == .csv || table == nil else {
      throw CommandFailure.usage("--table is of --format csv", hint: "give --format csv too")
    }
    guard format == .events || !global.json else {
      throw CommandFailure.usage(
        "--json and --format csv exclude each other", hint: "give one of them")
    }
    try await call.withStore { store in
      switch (format, table ?? .entries) {
      case (.events, _): try writeEvents(of: store, call)
      case (.csv, .habits): try await HabitTable(time: call.output.time).write(store)
      case (.csv, .entries): try await EntryTable(time: call.output.time).write(store)
      case (.csv, .receipts): try await ReceiptTable(time: call.output.time).write(store)
      }
    }
  }

  private func writeEvents(of store: Store, _ call: Call) throws {
    let names = try ReplicaNames(store)
    var buffer = LineBuffer()
    var missingCount = 0
    try store.forEachEvent { logged in
      if logged.event.isMissing { missingCount += 1 }
      let name = names[logged.event.replica]
      try buffer.append(logged.json(name: name, export: store.id).withoutControls + "\n")
      return !Task.isCancelled
    }
    try buffer.flush()
    try Task.checkCancellation()
    if missingCount > 0 {
      call.output.warn(
        "\(missingCount.counted("event")) written as an ID alone: the content is damaged or "
          + "missing here; repair it: \(call.output.carillon) sync PEER --audit")
      throw ExitCode(ExitStatus.no.rawValue)
    }
  }
}
