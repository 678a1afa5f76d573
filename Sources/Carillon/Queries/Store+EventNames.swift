package import CarillonModel

/// Event names as people type them: a replica's name or ID and a sequence, such as `phone@17`;
/// `phone~3f2a@17` with the start of the ID suffix if several events share that name; a position;
/// or an event ID.
extension Store {
  /// Returns the events that a text names.
  ///
  /// - Returns: No event, one event, or several if the replica's history forked.
  /// - Throws: `invalidValue` if the text has none of these forms.
  package func events(named text: String) async throws -> [LoggedEvent] {
    if let id = EventID(text) { return try await event(id).map { [$0] } ?? [] }
    if let position = Int(digits: text) {
      return try await event(at: LogPosition(rawValue: UInt64(position))).map { [$0] } ?? []
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(digits: parts[1]), number > 0 else {
      throw StoreError(
        code: .invalidValue, message: "\"\(text)\" is not an event name",
        hint: "use a form like phone@17, a position, or the 64 digits of an event ID")
    }
    let names = parts[0].split(separator: "~", maxSplits: 1)
    let sequence = SequenceNumber(rawValue: UInt64(number))
    let replicas = try replicaNames().filter { replica, name in
      name == names.first.map(String.init) || replica.description == String(parts[0])
    }
    var found: [LogPosition: LoggedEvent] = [:]
    try StoreError.translating {
      for branch in try log.branches() where replicas[branch.replica] != nil {
        guard let position = try log.position(on: branch.index, at: sequence) else { continue }
        found[position] = try loggedEvent(at: position)
      }
    }
    let wanted = names.count == 2 ? String(names[1]) : ""
    return found.values
      .filter { wanted.isEmpty || $0.event.shortSuffix.hasPrefix(wanted) }
      .sorted { $0.event.id < $1.event.id }
  }
}

extension StoredEvent {
  /// The last 16 hex digits of the ID.
  ///
  /// They distinguish events that share a replica name and sequence.
  package var shortSuffix: String { String(id.description.suffix(16)) }
}
