public import CarillonModel

/// How people name an event: a replica's name or the start of its id, then a sequence, such as
/// `phone@17` or, where that means more than one, `phone~3f2a@17`; or an event ID or its start.
extension Store {
  /// The events that a text names.
  ///
  /// - Returns: None, one, or where the replica's history forked, several.
  /// - Throws: `invalidValue` for a text that is none of the forms.
  public func events(named text: String) throws -> [LoggedEvent] {
    if let id = EventID(text) { return try event(id).map { [$0] } ?? [] }
    if let position = Int(digits: text) {
      return try event(at: Position(rawValue: UInt64(position))).map { [$0] } ?? []
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(digits: parts[1]), number > 0 else {
      throw StoreError(
        code: .invalidValue, message: "\(text) names no event",
        hint: "name it like phone@17, by its position, or by the 64 digits of its ID")
    }
    let names = parts[0].split(separator: "~", maxSplits: 1)
    let sequence = SequenceNumber(rawValue: UInt64(number))
    let replicas = try replicaNames().filter { replica, name in
      name == names.first.map(String.init) || replica.description == String(parts[0])
    }
    var found: [Position: LoggedEvent] = [:]
    try translatingLogErrors {
      for branch in try log.branches() where replicas[branch.replica] != nil {
        guard let position = try log.position(on: branch.index, at: sequence) else { continue }
        found[position] = try event(at: position)
      }
    }
    let wanted = names.count == 2 ? String(names[1]) : ""
    return found.values
      .filter { wanted.isEmpty || $0.event.shortSuffix.hasPrefix(wanted) }
      .sorted { $0.event.id < $1.event.id }
  }
}

extension Event {
  /// The last 16 hex digits of the ID: what tells events of one name and sequence apart.
  public var shortSuffix: String { String(id.description.suffix(16)) }
}
