import ArgumentParser
import Carillon

/// `carillon settings`: what all replicas of a store share.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show or change the settings of the store.",
    subcommands: [SettingsShowCommand.self, SettingsSetCommand.self],
    defaultSubcommand: SettingsShowCommand.self)
}

/// `carillon settings show`.
struct SettingsShowCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the settings of the store.")

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let settings = try await store.settings()
      let members = SettingName.allCases.map { (key: $0.rawValue, value: settings.json(of: $0)) }
      try call.output.answer(["settings": .object(members)]) {
        Table(facts: SettingName.allCases.map { ($0.rawValue, settings[$0] ?? "none") })
          .rendered(on: call.output.terminal)
      }
    }
  }
}

/// `carillon settings set`: changes one setting, on all devices.
struct SettingsSetCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change a setting of the store; none gives it its default.",
    discussion: """
      dayStart 04:00: when the day begins; what is due before it counts to the day before.

      quietHours 22:00-07:00: when nothing fires, from the first time up to the second, which is \
      no part of them; in the zone of the device that plans.

      horizonDays 14: how many days are planned, today's among them, 1 to 400.

      staleHours 48: after how many hours without an event of a device another one takes over \
      what it reminds of, 1 to 8760.

      digest 3/300s: more than 3 reminders of one group of habits within 300 seconds come as one.

      asksToOpen on: where the system's list is full, its last place asks to open the app when \
      the list ends; off by default.

      primingDays 14: how many days after a "not now" on the app's own screen it may be shown \
      again, 1 to 365; they double with each "not now".
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Its name; see carillon settings show.") var name: Given<SettingName>
  @Argument(help: "Its value, or none.") var value: String

  func run(_ call: Call) async throws {
    let name = try name.value(for: "NAME")
    try await call.withStore { store in
      let written = try await store.set(name, to: value)
      let settings = try await store.settings()
      let member = JSON.object([(key: name.rawValue, value: settings.json(of: name))])
      try call.output.confirm(written, ["settings": member]) {
        "\(name.rawValue) is \(settings[name] ?? "none")."
      }
    }
  }
}

extension StoreSettings {
  fileprivate func json(of name: SettingName) -> JSON {
    switch name {
    case .horizonDays: .integer(horizonDays)
    case .staleHours: .integer(staleHours)
    case .primingDays: .integer(primingDays)
    case .asksToOpen: .bool(asksToOpen)
    case .dayStart, .quietHours, .digest: .text(self[name])
    }
  }
}
