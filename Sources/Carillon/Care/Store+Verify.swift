internal import CarillonLMDB
internal import CarillonSQLite

extension Store {
  /// Checks the whole store: every event's ID against its content and history, the log's tables
  /// against one another, and the projections against a fresh build.
  ///
  /// - Returns: The problems, in sentences that name the place; empty where all is well.
  /// - Complexity: O(events).
  public func verify(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> [String] {
    try await translatingErrors {
      var problems = try self.storage.verify().map(\.description)
      guard problems.isEmpty else {
        return problems + ["projections: not checked, since the log has problems"]
      }
      if let difference = try await self.checkProjections(progress) {
        problems.append(
          "projections: table \(difference.table) differs at key \(difference.key); rebuild them")
      }
      let (cached, computed) = try await self.projections.read {
        (try $0.cachedDigest(), try $0.computedDigest())
      }
      if let cached, cached != computed {
        problems.append(
          "projections: the kept digest \(cached) is not that of the rows, \(computed)")
      }
      return problems
    }
  }
}
