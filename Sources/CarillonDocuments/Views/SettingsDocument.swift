package import Carillon
package import CarillonModel

/// The settings that all replicas of a store share, or some of them.
package struct SettingsDocument: Sendable {
  /// The names with their values in words.
  package let texts: [(name: SettingName, text: String)]
  private let settings: StoreSettings

  /// Reads the settings of a store.
  package init(_ store: Store, _ names: [SettingName] = SettingName.allCases) async throws {
    let settings = try await store.settings()
    texts = names.map { ($0, settings.text(of: $0)) }
    self.settings = settings
  }

  /// `{settings{}}`: each setting by its name.
  package var json: JSON {
    ["settings": .object(texts.map { (key: $0.name.rawValue, value: settings.json(of: $0.name)) })]
  }
}

extension StoreSettings {
  /// Returns a value as it is entered, such as `3/5m`; `none` for none.
  fileprivate func text(of name: SettingName) -> String {
    guard name == .digest, let digest else { return self[name] ?? "none" }
    return "\(digest.count)/\(digest.seconds.shortDuration)"
  }

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
