#if Service
import CarillonService

extension ServiceLimits {
  /// Reads the limits.
  ///
  /// - Throws: ``ServeFailure`` that names the setting, where it comes from, and what is allowed.
  init(from reader: inout SettingReader) throws {
    self.init()
    func number(_ name: String, _ value: inout Int, _ range: ClosedRange<Int>) throws {
      value = try reader.integer(name, default: value, in: range)
    }
    func seconds(_ name: String, _ value: inout Duration) throws {
      value = .seconds(
        try reader.integer(name, default: Int(value.components.seconds), in: 1...3_600))
    }
    try number("max-body", &bodyBytes, 65_536...1_073_741_824)
    try number("max-bodies", &allBodiesBytes, 65_536...17_179_869_184)
    try number("max-connections", &connections, 1...100_000)
    try number("max-connections-per-address", &connectionsPerAddress, 1...100_000)
    try number("max-streams", &streams, 1...100_000)
    try number("max-downloads", &downloads, 1...100_000)
    try number("max-reads", &reads, 1...1_000)
    try number("max-requests", &requests, 1...1_000_000)
    try number("max-failures", &failures, 1...1_000_000)
    try seconds("first-request-seconds", &firstRequest)
    try seconds("stall-seconds", &stall)
    try seconds("heartbeat-seconds", &heartbeat)
  }
}
#endif
