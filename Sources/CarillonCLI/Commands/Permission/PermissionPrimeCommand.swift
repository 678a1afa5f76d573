import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon permission prime`: records that the app's own screen was shown, before the system's
/// prompt.
struct PermissionPrimeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "prime",
    abstract: "Record that the app showed its own permission screen before the system's prompt.",
    discussion: """
      Exits with 1 if the screen may not be shown now.

      After a "no", the screen may not be shown again for the number of days in the primingDays \
      setting, which doubles with each "no". After the system's prompt, it is no longer needed.
      """)

  enum Outcome: String, EnumerableFlag {
    case yes, no
  }

  @OptionGroup var global: GlobalOptions
  @Flag(help: "The person's answer; without it, only that the screen was shown.")
  var outcome: Outcome?

  func run(_ call: Call) async throws {
    let said: PermissionAsked.Outcome =
      switch outcome {
      case .yes: .yes
      case .no: .no
      case nil: .unknown
      }
    try await call.withStore { store in
      if let written = try await store.recordPrimed(said) {
        let from = try await mayBePrimed(store.device(), in: store, call)
        let again = from.map { " It may be shown again from \(call.output.time.text($0))." } ?? ""
        try call.output.confirm(written) {
          "Recorded that the app's own screen was shown." + (said == .no ? again : "")
        }
        return
      }
      let device = try await store.device()
      let from =
        device.mayBeAsked ? try await mayBePrimed(device, in: store, call) : nil
      let time = call.output.time
      try call.output.answer(["events": [], "primeFrom": .text(from.map(time.rfc3339))]) {
        from.map { "The person said no; it may be shown again from \(time.text($0)).\n" }
          ?? "The prompt was already shown, or the system has an answer; there is nothing to ask.\n"
      }
      throw ExitCode(ExitStatus.no.rawValue)
    }
  }

  private func mayBePrimed(
    _ device: Device, in store: Store, _ call: Call
  ) async throws -> Instant? {
    device.mayBePrimed(after: try await store.settings(), in: call.output.time.zone)
  }
}
