public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Returns the settings of the store, which all its replicas share.
  public func settings() async throws(StoreError) -> StoreSettings {
    try await query { $0.settings }
  }

  /// Changes settings, on all replicas.
  ///
  /// ```swift
  /// try await store.updateSettings { $0.quietHours = DayWindow("22:00-07:00") }
  /// ```
  ///
  /// Settings that stay equal are not written. A setting with its default value is reset.
  ///
  /// - Returns: What was written. If nothing changes, this is at most the day's activity event.
  /// - Throws: `invalidValue`, naming the setting and its allowed values; nothing is changed then.
  @discardableResult
  public func updateSettings(
    _ change: @escaping @Sendable (inout StoreSettings) -> Void
  ) async throws(StoreError) -> Written {
    try await write { context in
      let before = context.settings
      var settings = before
      change(&settings)
      let changed = SettingName.allCases.filter { settings[$0] != before[$0] }
      let payloads = try changed.map { name in
        Payload.settingsSet(SettingsSet(name, to: try Self.text(settings[name], of: name)))
      }
      return Decision(payloads: payloads, needsState: !payloads.isEmpty)
    }
  }

  /// Changes one setting to the value of a text, on all replicas.
  ///
  /// - Parameters:
  ///   - name: The setting.
  ///   - text: A value in the format of ``SettingName``; nil or `none` resets it to the default.
  /// - Returns: What was written. If the setting is unchanged, and no concurrent value of it was
  ///   lost, this is at most the day's activity event.
  /// - Throws: `invalidValue`, naming the setting and its allowed values.
  @discardableResult
  package func set(_ name: SettingName, to text: String?) async throws(StoreError) -> Written {
    try await write { context in
      let value = try Self.text(text, of: name)
      let conflicts = try context.reader.settingConflicts()
      let isInConflict = conflicts.contains { $0.field == .setting(name) }
      guard try isInConflict || context.reader.settingTexts()[name.rawValue] != value else {
        return Decision(payloads: [])
      }
      return Decision(payloads: [.settingsSet(SettingsSet(name, to: value))], needsState: true)
    }
  }

  /// Returns the text of a setting as it is recorded; nil for the default.
  private static func text(_ text: String?, of name: SettingName) throws -> String? {
    var settings = StoreSettings()
    try settings.set(name, to: text)
    return settings == StoreSettings() ? nil : settings[name]
  }
}
