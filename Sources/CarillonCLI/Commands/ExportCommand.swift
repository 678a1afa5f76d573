import ArgumentParser
import Carillon

/// `carillon export`: writes complete events, one JSON object per line, or a table as CSV.
struct ExportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all events as NDJSON, or a table as CSV.",
    discussion: """
      With --format events, each line is one event in JSON, which another replica can import.

      With --format csv, the output is one table in RFC 4180 and UTF-8, with a header line. A text \
      that a spreadsheet would run as a formula gets a leading apostrophe.

      Examples:
        carillon export
        carillon export --format csv --table habits
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case events, csv
  }

  enum Table: String, ExpressibleByArgument, CaseIterable {
    case habits, entries, receipts
  }

  @OptionGroup var global: GlobalOptions
  @Option(help: "The format: events or csv.") var format = Format.events
  @Option(help: "The table for csv: habits, entries or receipts (default: entries).")
  var table: Table?

  func run(_ call: Call) async throws {
    guard format == .csv || table == nil else {
      throw CommandFailure.usage("--table requires --format csv", hint: "add --format csv")
    }
    guard format == .events || !global.json else {
      throw CommandFailure.usage(
        "--json and --format csv cannot be used together", hint: "give one of them")
    }
    try await call.withStore { store in
      switch (format, table ?? .entries) {
      case (.events, _): try await writeEvents(of: store, call)
      case (.csv, .habits): try await HabitTable(time: call.output.time).write(store)
      case (.csv, .entries): try await EntryTable(time: call.output.time).write(store)
      case (.csv, .receipts): try await ReceiptTable(time: call.output.time).write(store)
      }
    }
  }

  private func writeEvents(of store: Store, _ call: Call) async throws {
    let names = try ReplicaNames(store)
    var buffer = LineBuffer()
    var missingCount = 0
    for try await logged in store.history() {
      if logged.event.isMissing { missingCount += 1 }
      let name = names[logged.event.replica]
      try buffer.append(logged.json(name: name, exportingFrom: store.id).withoutControls + "\n")
    }
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
