internal import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Checks the whole store: every event's ID against its content and history, the log's tables
  /// against one another, the projections against a fresh build, and the kept plan against a new
  /// one.
  ///
  /// Changes nothing, but that a projection file which cannot be opened is built anew, and logged.
  /// Needs no room on the disk, and no right to write. An event of which only the ID is held is
  /// reported, and all else is checked; the projections of a damaged log are not.
  ///
  /// - Returns: The problems; empty where all is well.
  /// - Complexity: O(events).
  public func verify(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> [StoreProblem] {
    try await translatingErrors {
      let found = try self.storedLog?.verify() ?? self.damage()
      let damage = found.filter { $0.kind != .missingContent }.map {
        StoreProblem(kind: $0.kind == .freePages ? .freePages : .damage, message: $0.description)
      }
      let missing = try self.missingContent(
        found.filter { $0.kind == .missingContent }.compactMap(\.position))
      guard damage.isEmpty else {
        return damage + missing + [
          StoreProblem(
            kind: .projections, message: "projections: not checked, since the log has problems")
        ]
      }
      let difference = try await self.projectionProblem(progress)
      return missing + (difference.map { [StoreProblem(kind: .projections, message: $0)] } ?? [])
    }
  }

  /// What is wrong with the events of a log that does not lie in files.
  private func damage() throws -> [LogProblem] {
    try log.damagedEvents().map { LogProblem(.damage, at: $0.position, "the event is damaged") }
  }

  /// Names the events at some positions, of which only the IDs are held.
  private func missingContent(_ positions: [Position]) throws -> [StoreProblem] {
    guard !positions.isEmpty else { return [] }
    let names = try replicaNames()
    return try positions.compactMap { position in
      guard let event = try event(at: position)?.event else { return nil }
      let name = names[event.replica] ?? event.replica.description
      return StoreProblem(
        kind: .missingContent,
        message: "position \(position.rawValue): the content of \(name)@\(event.sequence.rawValue) "
          + "is missing, and only its ID is held")
    }
  }

  private func projectionProblem(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> String? {
    if let difference = try await checkProjections(progress) {
      let (table, key) = (difference.table, difference.key)
      return "projections: table \(table) differs at key \(key); rebuild them"
    }
    let (cached, computed) = try await projections.read {
      (try $0.cachedDigest(), try $0.computedDigest())
    }
    guard let cached, cached != computed else { return nil }
    return "projections: the kept digest \(cached) is not that of the rows, \(computed)"
  }
}
