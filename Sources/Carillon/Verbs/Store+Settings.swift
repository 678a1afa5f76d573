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

  /// Changes settings to the values of texts, on all replicas.
  ///
  /// - Parameter texts: Values in the format of ``SettingName``; nil or `none` resets a setting to
  ///   its default.
  /// - Returns: What was written. A setting that is unchanged is not written, unless a concurrent
  ///   value of it was lost. If none is written, this is at most the day's activity event.
  /// - Throws: `invalidValue`, naming the setting and its allowed values; nothing is changed then.
  @discardableResult
  package func set(_ texts: [SettingName: String?]) async throws(StoreError) -> Written {
    try await write { context in
      let (known, conflicts) = (
        try context.reader.settingTexts(), try context.reader.settingConflicts()
      )
      let payloads = try SettingName.allCases.compactMap { name -> Payload? in
        guard let text = texts[name] else { return nil }
        let value = try Self.text(text, of: name)
        let isInConflict = conflicts.contains { $0.field == .setting(name) }
        guard isInConflict || known[name.rawValue] != value else { return nil }
        return .settingsSet(SettingsSet(name, to: value))
      }
      return Decision(payloads: payloads, needsState: !payloads.isEmpty)
    }
  }

  /// Returns the text of a setting as it is recorded; nil for the default.
  private static func text(_ text: String?, of name: SettingName) throws -> String? {
    var settings = StoreSettings()
    try settings.set(name, to: text)
    return settings == StoreSettings() ? nil : settings[name]
  }
}
