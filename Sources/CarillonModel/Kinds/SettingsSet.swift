/// An event that sets one setting of the store.
///
/// An LWW register per name. A build keeps names and values that it does not know, without effect.
public struct SettingsSet: Hashable, Sendable {
  /// The setting's name, which may be of a later version; 1 to 64 bytes.
  public var name: String
  /// The value as text, at most 200 bytes; nil restores the default.
  public var value: String?
  /// The events that this one replaces, as in ``HabitFields/replaces``.
  package var replaces: [EventID] = []

  /// Creates a value from its parts.
  package init(name: String, value: String?) {
    self.name = name
    self.value = value
  }

  /// Creates a value for a setting that this build knows.
  package init(_ name: SettingName, to value: String?) {
    self.init(name: name.rawValue, value: value)
  }
}

extension SettingsSet: EventContent {
  package static let kind = Payload.Kind.settingsSet
  package static let name = "settings.set"
  package static let merge = MergeRule.lwwRegister
  package static let blank = SettingsSet(name: "", value: nil)

  package var payload: Payload { .settingsSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "setting", &name, 1...64)
    try visitor.optional(2, "value", &value, 0...Limit.maxShortBytes)
    try visitor.replaced(3, &replaces)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    "\(name) \(value ?? "default")"
  }
}
