import ArgumentParser
import Carillon

/// `carillon settings`: the settings that all replicas of a store share.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show or change the settings that all replicas share.",
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

/// `carillon settings set`: changes one setting on all replicas.
struct SettingsSetCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change a setting; none resets it to its default.",
    discussion: """
      The settings, with an example of a value:

      dayStart 04:00: the time at which a day begins. Earlier times count to the day before.

      quietHours 22:00-07:00: the hours in which nothing fires, in the time zone of the device \
      that plans. The end is not included.

      horizonDays 14: the number of days to plan, including today, 1 to 400.

      staleHours 48: the hours without an event from a device after which another device takes \
      over its reminders, 1 to 8760.

      digest 3/300s: combine more than 3 reminders of one group of habits within 300 seconds into \
      one notification.

      asksToOpen on: if the system's list is full, use its last place for a request to open the \
      app when the list ends (default: off).

      primingDays 14: the days after a "not now" before the app may show its own permission screen \
      again, 1 to 365. They double with each "not now".
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The setting's name.") var name: Given<SettingName>
  @Argument(help: "The new value, or none.") var value: String

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
