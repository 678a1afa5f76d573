/// The name of a store setting in events and on the command line.
package enum SettingName: String, Hashable, Sendable, CaseIterable {
  case dayStart, quietHours, horizonDays, staleHours, digest, asksToOpen, primingDays
}

extension StoreSettings {
  /// Creates settings from texts keyed by name.
  ///
  /// Unknown names and invalid values leave the defaults unchanged.
  package init(settingTexts texts: [String: String]) {
    self.init()
    for name in SettingName.allCases {
      // An unreadable value leaves the default. `health` reports it.
      if let text = texts[name.rawValue] { try? set(name, to: text) }
    }
  }

  /// The setting's value as text, or nil if the setting has no value.
  package subscript(name: SettingName) -> String? {
    switch name {
    case .dayStart: dayStart.description
    case .quietHours: quietHours?.description
    case .horizonDays: String(horizonDays)
    case .staleHours: String(staleHours)
    case .digest: digest?.description
    case .asksToOpen: asksToOpen ? "on" : "off"
    case .primingDays: String(primingDays)
    }
  }

  /// Sets one setting from its text.
  ///
  /// Nil or `none` restores the default.
  ///
  /// - Throws: `invalidValue` with the setting's name and the allowed values. In that case nothing
  ///   changes.
  package mutating func set(_ name: SettingName, to text: String?) throws(ModelError) {
    let text = text == "none" ? nil : text
    let standard = StoreSettings()
    switch name {
    case .dayStart:
      dayStart = try Self.value(text, name, "a time like 04:00") ?? standard.dayStart
    case .quietHours:
      quietHours = try Self.value(text, name, "two different times like 22:00-07:00, or none")
    case .horizonDays:
      horizonDays =
        try Self.number(text, name, PlanSettings.horizons, "days") ?? standard.horizonDays
    case .staleHours:
      staleHours =
        try Self.number(text, name, StoreSettings.staleHoursLimits, "hours") ?? standard.staleHours
    case .digest:
      digest = try Self.value(
        text, name, "a rule like 3/300s (1 to 100 within 60 to 86400 seconds), or none")
    case .asksToOpen:
      guard ["on", "off", nil].contains(text) else {
        throw .invalid(name.rawValue, "\"\(text ?? "")\" is not on or off")
      }
      asksToOpen = text == "on"
    case .primingDays:
      primingDays =
        try Self.number(text, name, StoreSettings.primingDaysLimits, "days") ?? standard.primingDays
    }
  }

  private static func value<Value: LosslessStringConvertible>(
    _ text: String?, _ name: SettingName, _ allowed: String
  ) throws(ModelError) -> Value? {
    guard let text else { return nil }
    guard let value = Value(text) else {
      throw .invalid(name.rawValue, "\"\(text)\" is not \(allowed)")
    }
    return value
  }

  private static func number(
    _ text: String?, _ name: SettingName, _ range: ClosedRange<Int>, _ unit: String
  ) throws(ModelError) -> Int? {
    guard let text else { return nil }
    guard let value = Int(digits: text), range.contains(value) else {
      throw .invalid(
        name.rawValue,
        "\"\(text)\" is not a number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
