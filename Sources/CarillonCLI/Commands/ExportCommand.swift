import ArgumentParser
import Carillon

/// `carillon export`: whole events, one JSON object a line.
struct ExportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all events as NDJSON, for import elsewhere.")

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case events
  }

  @OptionGroup var global: GlobalOptions
  @Option(help: "The form: events.") var format = Format.events

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let names = try await ReplicaNames(store)
      var buffer = LineBuffer()
      try store.forEachEvent { logged in
        let name = names[logged.event.replica]
        try buffer.append(logged.json(name: name, export: store.id) + "\n")
        return !Task.isCancelled
      }
      try buffer.flush()
      try Task.checkCancellation()
    }
  }
}
