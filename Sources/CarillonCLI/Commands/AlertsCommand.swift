import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon alerts`: this device's switches for reminders, badge and sound.
struct AlertsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "Turn this device's reminders, badge and sound on or off.",
    discussion: """
      Examples:
        carillon alerts off
        carillon alerts --badge off --sound on
      """)

  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @OptionGroup var global: GlobalOptions
  @Argument(help: ArgumentHelp("Whether this device delivers reminders.", valueName: "on|off"))
  var position: Switch?

  @Option(help: ArgumentHelp("Whether the app's icon shows a number.", valueName: "on|off"))
  var badge: Switch?

  @Option(help: ArgumentHelp("Whether reminders play a sound.", valueName: "on|off"))
  var sound: Switch?

  func run(_ call: Call) async throws {
    let switches = [("Alerts are", position), ("the badge is", badge), ("sound is", sound)]
      .compactMap { name, position in position.map { "\(name) \($0.rawValue)" } }
    guard !switches.isEmpty else {
      throw CommandFailure.usage(
        "no switch is given", hint: "give on or off, --badge on|off or --sound on|off")
    }
    try await call.withStore { store in
      let written = try await store.setAlerts(
        position.map { $0 == .on }, badge: badge.map { $0 == .on }, sound: sound.map { $0 == .on })
      let text = switches.joined(separator: ", ")
      let warnings = try await call.serverWarnings(position == .on, in: store)
      try call.output.confirm(written, ([:] as JSON).merging(warnings: warnings)) {
        text.prefix(1).uppercased() + text.dropFirst() + "."
      }
    }
  }
}
