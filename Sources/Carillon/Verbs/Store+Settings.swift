public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// The settings of the store, which all its replicas share.
  public func settings() async throws -> StoreSettings {
    try await read { $0.settings }
  }

  /// Changes one setting, on all replicas.
  ///
  /// - Parameters:
  ///   - name: The setting.
  ///   - text: As ``SettingName`` has its values; nil or `none` gives it its default.
  /// - Returns: What was written; of a setting that is so already, at most the day's activity.
  /// - Throws: `invalidValue` naming the setting and what it may be.
  @discardableResult
  public func set(_ name: SettingName, to text: String?) async throws -> Written {
    var settings = StoreSettings()
    try settings.set(name, to: text)
    let value = settings == StoreSettings() ? nil : settings[name]
    return try await write { context in
      guard try context.reader.settingTexts()[name.rawValue] != value else {
        return Decision(payloads: [])
      }
      return Decision(payloads: [.settingsSet(SettingsSet(name, to: value))], needsState: true)
    }
  }
}
