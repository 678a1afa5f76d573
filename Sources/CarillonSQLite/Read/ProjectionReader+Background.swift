package import CarillonModel

extension ProjectionReader {
  /// Returns the revision of the push with an ID; nil if none was received.
  package func pushRevision(_ id: String) throws -> String? {
    let rows = try connection.query("SELECT revision FROM push WHERE push = ?1", id)
    return try rows.step() ? try rows.text(0) : nil
  }

  /// Returns the results of a replica's last wakes, by reason.
  package func wakes(of replica: ReplicaID) throws -> [WakeFinished] {
    let rows = try connection.query(
      "SELECT reason, result, new_count FROM wake WHERE replica = ?1 ORDER BY reason", replica)
    var wakes: [WakeFinished] = []
    while try rows.step() {
      wakes.append(
        WakeFinished(
          reason: try rows.named(0), result: try rows.named(1),
          newCount: Int(clamping: rows.integer(2))))
    }
    return wakes
  }

  /// Returns the results of a replica's registrations for remote notifications, by environment.
  package func pushTokens(of replica: ReplicaID) throws -> [PushTokenSet] {
    let rows = try connection.query(
      "SELECT environment, token, error FROM push_token WHERE replica = ?1 ORDER BY environment",
      replica)
    var tokens: [PushTokenSet] = []
    while try rows.step() {
      let registration: PushTokenSet.Registration =
        rows.isNull(1) ? .failure(try rows.text(2)) : .token([UInt8](try rows.blob(1)))
      tokens.append(PushTokenSet(environment: try rows.text(0), registration: registration))
    }
    return tokens
  }
}
