/// An event that sets a device's notification switches.
///
/// An LWW register per (device, switch); any device may write it.
public struct AlertsSet: Hashable, Sendable {
  /// The device whose switches are set.
  package var device: ReplicaID
  /// Whether notifications are delivered.
  package var isOn: Bool?
  /// Whether the app icon has a badge.
  package var badgeIsOn: Bool?
  /// Whether notifications play a sound.
  package var soundIsOn: Bool?

  /// Creates a value from its parts.
  package init(
    device: ReplicaID, isOn: Bool? = nil, badgeIsOn: Bool? = nil, soundIsOn: Bool? = nil
  ) {
    self.device = device
    self.isOn = isOn
    self.badgeIsOn = badgeIsOn
    self.soundIsOn = soundIsOn
  }
}

extension AlertsSet: EventContent {
  package static let kind = Payload.Kind.alertsSet
  package static let name = "alerts.set"
  package static let merge = MergeRule.lwwRegister
  package static let blank = AlertsSet(device: .zero)

  package var payload: Payload { .alertsSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "device", &device)
    try visitor.optional(2, "on", &isOn)
    try visitor.optional(3, "badge", &badgeIsOn)
    try visitor.optional(4, "sound", &soundIsOn)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    isOn.map { $0 ? "on" : "off" } ?? ""
  }
}
