package import CarillonModel
internal import CarillonWire

extension ProjectionReader {
  /// The revision of the push that holds an id; nil where none came.
  package func pushRevision(_ id: String) throws -> String? {
    let rows = try connection.prepare("SELECT revision FROM push WHERE push = ?1")
    rows.bind(1, id)
    return try rows.step() ? try rows.text(0) : nil
  }

  /// How a replica's last wakes ended, by reason.
  package func wakes(of replica: ReplicaID) throws -> [WakeFinished] {
    let rows = try connection.prepare(
      "SELECT reason, result, new_count FROM wake WHERE replica = ?1 ORDER BY reason")
    rows.bind(1, replica)
    var wakes: [WakeFinished] = []
    while try rows.step() {
      wakes.append(
        WakeFinished(
          reason: try rows.named(0), result: try rows.named(1),
          newCount: Int(clamping: rows.integer(2))))
    }
    return wakes
  }

  /// How a replica registered for remote notifications, by environment.
  package func pushTokens(of replica: ReplicaID) throws -> [PushTokenSet] {
    let rows = try connection.prepare(
      "SELECT environment, token, error FROM push_token WHERE replica = ?1 ORDER BY environment")
    rows.bind(1, replica)
    var tokens: [PushTokenSet] = []
    while try rows.step() {
      let registration: PushTokenSet.Registration =
        rows.isNull(1) ? .failure(try rows.text(2)) : .token([UInt8](try rows.blob(1)))
      tokens.append(PushTokenSet(environment: try rows.text(0), registration: registration))
    }
    return tokens
  }

  /// What was imported from a file; nil where it was not.
  package func importedFile(hash: [UInt8]) throws -> ImportFinished? {
    let rows = try connection.prepare("SELECT payload FROM import_file WHERE file_hash = ?1")
    return try hash.withUnsafeBytes { bytes in
      rows.bind(1, unowned: bytes)
      guard try rows.step() else { return nil }
      guard case .importFinished(let finished) = try? PayloadCoding.decode(rows.blob(0)) else {
        throw Statement.damagedValue
      }
      return finished
    }
  }
}
