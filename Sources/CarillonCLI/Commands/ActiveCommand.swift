import ArgumentParser
import Carillon

/// `carillon active`: records that the app was used today.
struct ActiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "active", abstract: "Record that the app was used today.",
    discussion: """
      Reminders that stopped because nothing was recorded for some days (see --stop-after of the \
      schedule commands) resume.
      """)

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let written = try await store.recordActivity()
      try call.output.confirm(written) {
        written.events.isEmpty ? "Already recorded today." : "Recorded."
      }
    }
  }
}
