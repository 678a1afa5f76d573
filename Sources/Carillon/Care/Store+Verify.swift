internal import CarillonLMDB
internal import CarillonSQLite

extension Store {
  /// Checks the whole store: every event's ID against its content and history, the log's tables
  /// against one another, the projections against a fresh build, and the kept plan against a new
  /// one.
  ///
  /// Changes nothing, but that a projection file which cannot be opened is built anew, and logged.
  /// Needs no room on the disk, and no right to write.
  ///
  /// - Returns: The problems, in sentences that name the place; empty where all is well.
  /// - Complexity: O(events).
  public func verify(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> [String] {
    try await translatingErrors {
      let problems = try self.storage.verify().map(\.description)
      guard problems.isEmpty else {
        return problems + ["projections: not checked, since the log has problems"]
      }
      if let difference = try await self.checkProjections(progress) {
        let (table, key) = (difference.table, difference.key)
        return ["projections: table \(table) differs at key \(key); rebuild them"]
      }
      let (cached, computed) = try await self.projections.read {
        (try $0.cachedDigest(), try $0.computedDigest())
      }
      guard let cached, cached != computed else { return [] }
      return ["projections: the kept digest \(cached) is not that of the rows, \(computed)"]
    }
  }
}
