internal import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Checks the whole store: the ID of every event against its content and history, the log's
  /// tables against each other, the projections against a shadow build, and the kept plan against a
  /// new one.
  ///
  /// Changes nothing, except that projections which cannot be opened are rebuilt, which is logged.
  /// Needs no free disk space and no write permission. An event known only by ID is reported, and
  /// the check continues. If the log is damaged, the projections are not checked.
  ///
  /// - Parameter progress: Called with the number of events applied to the shadow build and the
  ///   number to apply.
  /// - Returns: The problems found; empty if there are none.
  /// - Complexity: O(events).
  public func verify(
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> [StoreProblem] {
    try await StoreError.translating {
      let found = try self.storedLog?.verify() ?? self.damage()
      let damage = found.filter { $0.kind != .missingContent }.map {
        StoreProblem(kind: Self.kind(of: $0), message: $0.description)
      }
      let missing = try self.missingContent(
        found.filter { $0.kind == .missingContent }.compactMap(\.position))
      guard damage.isEmpty else {
        return damage + missing + [
          StoreProblem(
            kind: .projections, message: "projections: not checked, since the log has problems")
        ]
      }
      guard self.hasContents else { return missing }
      let content = try await self.contentHealth().map {
        StoreProblem(kind: .missingContent, message: $0)
      }
      let difference = try await self.projectionProblem(progress)
      return missing + content
        + (difference.map { [StoreProblem(kind: .projections, message: $0)] } ?? [])
    }
  }

  private static func kind(of problem: LogProblem) -> StoreProblem.Kind {
    switch problem.kind {
    case .freePages: .freePages
    case .index: .index
    case .damage, .missingContent: .damage
    }
  }

  /// Returns the damaged events of a log that is not kept in files.
  private func damage() throws -> [LogProblem] {
    try log.damagedEvents().map { LogProblem(.damage, at: $0.position, "the event is damaged") }
  }

  /// Reports the events at some positions as known only by ID.
  private func missingContent(_ positions: [LogPosition]) throws -> [StoreProblem] {
    guard !positions.isEmpty else { return [] }
    let names = try replicaNames()
    return try positions.compactMap { position in
      guard let event = try loggedEvent(at: position)?.event else { return nil }
      let name = names[event.replica] ?? event.replica.description
      return StoreProblem(
        kind: .missingContent,
        message: "position \(position.rawValue): the content of \(name)@\(event.sequence.rawValue) "
          + "is missing; only its ID is known")
    }
  }

  private func projectionProblem(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> String? {
    if let difference = try await checkProjections(progress: progress) {
      let (table, key) = (difference.table, difference.key)
      return "projections: table \(table) differs at key \(key); rebuild them"
    }
    let (cached, computed) = try await projections.read {
      (try $0.cachedDigest(), try $0.computedDigest())
    }
    guard let cached, cached != computed else { return nil }
    return "projections: the stored digest \(cached) differs from that of the rows, \(computed)"
  }
}
