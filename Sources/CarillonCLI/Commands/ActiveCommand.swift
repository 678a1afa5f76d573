import ArgumentParser
import Carillon

/// `carillon active`: somebody used the app.
struct ActiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "active", abstract: "Record that somebody used the app today.")

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let written = try await store.recordActivity()
      try call.output.confirm(written) {
        written.events.isEmpty ? "Recorded today already." : "Recorded."
      }
    }
  }
}
