import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

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
    commandName: "show", abstract: "Show the settings of the store, or one of them.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The setting's name (default: all settings).") var name: Given<SettingName>?

  func run(_ call: Call) async throws {
    let names = try name.map { [try $0.setting()] } ?? SettingName.allCases
    try await call.withStore { store in
      let document = try await SettingsDocument(store, names)
      try call.output.answer(document.json) {
        Table(facts: document.texts.map { ($0.name.rawValue, $0.text) })
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

      dayStart 04:00: the time at which a day begins. Earlier times count for the \
      preceding day.

      quietHours 22-7: the hours in which nothing fires, in the time zone of the device \
      that plans. The end is not included; none or off turns them off.

      horizonDays 14: the number of days to plan, including today, 1 to 400.

      staleHours 48: the hours without an event from a device after which another device takes \
      over its reminders, 1 to 8760.

      digest 3/5m: combine more than 3 reminders of one group of habits within 5 minutes into one \
      notification; 1 to 100 reminders, 1m to 24h; none or off turns it off. Intervals without \
      --window are not combined.

      asksToOpen on: if the system's list is full, use its last place for a request to open the \
      app when the list ends (default: off).

      primingDays 14: the days after a "not now" before the app may show its own permission screen \
      again, 1 to 365. They double with each "not now".
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The setting's name.") var name: Given<SettingName>
  @Argument(help: "The new value, or none.") var value: String

  func run(_ call: Call) async throws {
    let name = try name.setting()
    let value = try name.value(of: self.value)
    try await call.withStore { store in
      let written = try await store.set([name: value])
      let document = try await SettingsDocument(store, [name])
      let warnings = name == .quietHours ? try await call.quietHoursWarnings(store) : []
      call.output.warn(warnings)
      try call.output.confirm(written, document.json.merging(warnings: warnings)) {
        "\(name.rawValue) is \(document.texts[0].text)."
      }
    }
  }
}

extension Given<SettingName> {
  /// Returns the setting that the text names.
  fileprivate func setting() throws(CommandFailure) -> SettingName {
    guard let name = try? SettingName(argument: text) else {
      throw .badValue("there is no setting \"\(text)\"", hint: "give \(SettingName.form)")
    }
    return name
  }
}

extension SettingName {
  /// Returns a value in the form in which the store keeps it.
  ///
  /// - Throws: A usage error if the value is malformed or out of range.
  fileprivate func value(of text: String) throws(CommandFailure) -> String {
    let value = try normalized(text)
    var settings = StoreSettings()
    do {
      try settings.set(self, to: value)
    } catch {
      throw .badValue(error.message, hint: "give a value that is allowed, or none")
    }
    return value
  }

  private func normalized(_ text: String) throws(CommandFailure) -> String {
    let hasOff = self == .quietHours || self == .digest
    guard text != "none", !hasOff || text.lowercased() != "off" else { return "none" }
    return switch self {
    case .dayStart: try Given<TimeOfDay>(argument: text).value(for: rawValue).description
    case .quietHours: try Given<DayWindow>(argument: text).value(for: rawValue).description
    case .digest: try Given<DigestRule>(argument: text).value(for: rawValue).description
    case .horizonDays, .primingDays:
      (try? DayInterval(argument: text)).map { String($0.days) } ?? text
    case .staleHours:
      (try? DurationText(argument: text)).flatMap { duration in
        duration.seconds % 3_600 == 0 ? String(duration.seconds / 3_600) : nil
      } ?? text
    case .asksToOpen: text
    }
  }
}
