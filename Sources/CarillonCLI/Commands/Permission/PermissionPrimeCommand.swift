import ArgumentParser
import Carillon

/// `carillon permission prime`: the app's own screen was shown, before the system's prompt.
struct PermissionPrimeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "prime",
    abstract: "Record that the app itself asked first; exit 1 if it may not now.",
    discussion: """
      A "no" keeps the app's screen away for some days (settings set primingDays), twice as many \
      with each. Once the system's prompt was shown, it is not shown any more.
      """)

  enum Outcome: String, EnumerableFlag {
    case yes, no
  }

  @OptionGroup var global: GlobalOptions
  @Flag(help: "What the person answered; without either, only that the screen was shown.")
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
        let from = try await store.device().mayBePrimed(after: try await store.settings())
        let again = from.map { " It may be shown again from \(call.output.time.text($0))." } ?? ""
        try call.output.confirm(written) {
          "Recorded that the app's own screen was shown." + (said == .no ? again : "")
        }
        return
      }
      let device = try await store.device()
      let from =
        device.mayBeAsked ? device.mayBePrimed(after: try await store.settings()) : nil
      let time = call.output.time
      try call.output.answer(["events": [], "primeFrom": .text(from.map(time.rfc3339))]) {
        from.map { "The person said no; it may be shown again from \(time.text($0)).\n" }
          ?? "The prompt was shown before, or the system has an answer; there is nothing to ask.\n"
      }
      throw ExitCode(ExitStatus.no.rawValue)
    }
  }
}
