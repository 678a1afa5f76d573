/// An event that records what a person decided about a device: its name, its role, and whether it
/// is retired.
///
/// An LWW register per (device, field); any device may write it. What is set here overrides the
/// device's description of itself.
public struct DeviceSet: Hashable, Sendable {
  /// The device.
  package var device: ReplicaID
  /// The name, 1 to 64 bytes; nil leaves it unchanged.
  package var name: String?
  /// The kind of device; nil leaves it unchanged.
  package var role: Device.Role?
  /// Whether the device is no longer in use; nil leaves it unchanged.
  package var isRetired: Bool?

  /// Creates a value from its parts.
  package init(
    device: ReplicaID, name: String? = nil, role: Device.Role? = nil, isRetired: Bool? = nil
  ) {
    self.device = device
    self.name = name
    self.role = role
    self.isRetired = isRetired
  }
}

extension DeviceSet: EventContent {
  package static let kind = Payload.Kind.deviceSet
  package static let name = "device.set"
  package static let merge = MergeRule.lwwRegister
  package static let blank = DeviceSet(device: .zero)

  package var payload: Payload { .deviceSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "device", &device)
    try visitor.optional(2, "deviceName", &name, 1...64)
    try visitor.optional(3, "role", &role)
    try visitor.optional(4, "retired", &isRetired)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    var parts: [String] = []
    if let name { parts.append("is named \(name)") }
    if let role { parts.append("is a \(role.rawValue)") }
    if let isRetired { parts.append(isRetired ? "is retired" : "is in use again") }
    return words.name(of: device) + " " + parts.joined(separator: ", ")
  }
}
