public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Returns the settings of the store, which all its replicas share.
  public func settings() async throws -> StoreSettings {
    try await query { $0.settings }
  }

  /// Changes one setting, on all replicas.
  ///
  /// - Parameters:
  ///   - name: The setting.
  ///   - text: A value in the format of ``SettingName``; nil or `none` resets it to the default.
  /// - Returns: What was written. If the setting is unchanged, this is at most the day's activity
  ///   event.
  /// - Throws: `invalidValue`, naming the setting and its allowed values.
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
