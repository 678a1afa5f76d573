#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of the store's status, replicas and settings.
  func addStatus() {
    on(.get, "status", query: ["digest"]) { [reads = routes.reads] asked in
      let withDigest = try asked.flag("digest")
      let answer = { @Sendable in
        Answer(
          try await StatusDocument(asked.store, asked.time, withDigest: withDigest).json)
      }
      // The digest is of the whole state.
      return try await withDigest ? reads.read(asked, answer) : answer()
    }
    on(.get, "replicas") { asked in
      Answer(try await ReplicasDocument(asked.store, asked.time).json)
    }
    on(.get, "settings") { asked in Answer(try await SettingsDocument(asked.store).json) }
    on(.patch, "settings") { asked in
      var document = try await asked.document()
      var texts: [SettingName: String?] = [:]
      for name in SettingName.allCases {
        guard let value = document.take(name.rawValue) else { continue }
        texts[name] = .some(try name.text(of: value))
      }
      try document.finish()
      let written = try await asked.store.set(texts)
      let names = SettingName.allCases.filter(texts.keys.contains)
      return Answer(written, try await SettingsDocument(asked.store, names).json)
    }
  }
}

extension SettingName {
  /// Returns the text of a value in the form in which it is answered; nil for null.
  fileprivate func text(of value: JSON) throws -> String? {
    let isNumber = [.horizonDays, .staleHours, .primingDays].contains(self)
    if isNumber, let number = value.wholeNumber { return String(number) }
    switch value {
    case .null: return nil
    case .bool(let isOn) where self == .asksToOpen: return isOn ? "on" : "off"
    case .text(let text) where !isNumber && self != .asksToOpen: return text
    default:
      let expected = isNumber ? "a whole number" : self == .asksToOpen ? "true or false" : "text"
      throw Problem.malformed("\(rawValue) must be \(expected) or null, not \(value.kindName)")
    }
  }
}
#endif
