import CarillonModel
package import CarillonSync
package import Foundation

/// The result of joining two stores.
package struct JoinReport: Sendable {
  /// Whether the other store had a different ID.
  package let wasOther: Bool
  /// What was transferred, as seen by the store whose ID is kept.
  package let sync: SyncReport
}

extension Store {
  /// Turns an unrelated store in another directory into a replica of this store, and syncs the two.
  ///
  /// The other store takes this store's ID in one transaction. Every event keeps its own ID, and
  /// both replicas hold all events afterwards. This cannot be undone, except by restoring a copy
  /// made before. If it is interrupted, calling it again or syncing completes it. Other replicas of
  /// the former store are refused with `otherStore` until they are joined too.
  ///
  /// - Parameters:
  ///   - directory: The other store, which no process may have open.
  ///   - progress: Called with the number of events transferred and the number known to be
  ///     transferred.
  /// - Throws: `invalidValue` for this store's own directory, if either store is sealed (their keys
  ///   differ), or if the other path is too long; `notFound`, `unsupportedFormat`, `corrupt`,
  ///   `readOnly`, and `busy` if it is open: nothing is changed in these cases. Otherwise the
  ///   errors of ``sync(with:audits:progress:)``.
  @discardableResult
  package func join(
    _ directory: URL, progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> JoinReport {
    guard
      directory.resolvingSymlinksInPath().standardizedFileURL.path
        != self.directory.resolvingSymlinksInPath().standardizedFileURL.path
    else {
      throw StoreError(
        code: .invalidValue, message: "\(directory.path) cannot be joined with itself",
        hint: "use the directory of an unrelated store")
    }
    try Self.requireShortPath(directory)
    let isOtherSealed = try await Self.with(at: directory, options: options) { $0.isSealed }
    guard !isSealed, !isOtherSealed else {
      throw StoreError(
        code: .invalidValue,
        message: "\(directory.path) cannot be joined: a sealed store has keys of its own",
        hint: "invite the devices of one store to the other")
    }
    let wasOther = try StoreError.translating {
      let storage = try Storage(usedIn: directory) ?? .standard
      return try storage.logs.setStoreID(self.id, at: directory, options: self.options.log)
    }
    let report = try await Self.with(at: directory, options: options) { peer in
      try await sync(with: peer, progress: progress)
    }
    return JoinReport(wasOther: wasOther, sync: report)
  }
}
