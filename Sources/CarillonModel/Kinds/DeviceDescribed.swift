extension DeviceDescription: EventContent {
  package static let kind = Payload.Kind.deviceDescribed
  package static let name = "device.described"
  package static let merge = MergeRule.perReplicaLWWRegister
  package static let blank = DeviceDescription(
    name: "", role: .phone, zone: "", zoneDataVersion: "", capacity: 0)

  package var payload: Payload { .deviceDescribed(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "deviceName", &name, 1...64)
    try visitor.required(2, "role", &role)
    try visitor.required(3, "zone", &zone, 1...64)
    try visitor.defaulted(4, "zoneDataVersion", &zoneDataVersion, "", 0...32, isNamed: true)
    try visitor.required(5, "capacity", &capacity, 1...Int64(PlanSettings.capacities.upperBound))
    try visitor.optional(6, "predecessor", &predecessor)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    "\(name) \(role.rawValue) \(zone)"
  }
}
