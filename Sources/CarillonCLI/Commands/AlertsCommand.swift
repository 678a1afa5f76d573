import ArgumentParser
import Carillon

/// `carillon alerts`: this device's own switch.
struct AlertsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "Turn this device's reminders on or off.")

  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @OptionGroup var global: GlobalOptions
  @Argument(help: ArgumentHelp("on or off.", valueName: "on|off")) var position: Switch

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let written = try await store.setAlerts(position == .on)
      try call.output.confirm(written) { "Alerts are \(position.rawValue)." }
    }
  }
}
