public import CarillonSync
public import Foundation

extension Store {
  /// Makes the store in another directory, which was unrelated, a replica of this one, and syncs
  /// the two.
  ///
  /// It takes this store's ID in one transaction; every event keeps its own ID, and both hold all
  /// of them afterwards. There is no way back but a copy made before. Where it was cut off, calling
  /// it again, or syncing, finishes it. Other replicas of what the other store was are refused by
  /// `otherStore` until they are joined too.
  ///
  /// - Parameters:
  ///   - directory: The other store; nobody may have it open.
  ///   - progress: Called with events moved so far and how many are known to move.
  /// - Returns: Whether the other store had another ID, and what moved, as this store sees it.
  /// - Throws: `invalidValue` for this store's own directory; `notFound`, `unsupportedFormat`,
  ///   `corrupt`, `readOnly`, and `busy` where it is open: then nothing was changed. Else as
  ///   ``sync(with:_:)``.
  @discardableResult
  public func join(
    _ directory: URL, _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (wasOther: Bool, report: SyncReport) {
    guard
      directory.resolvingSymlinksInPath().standardizedFileURL.path
        != self.directory.resolvingSymlinksInPath().standardizedFileURL.path
    else {
      throw StoreError(
        code: .invalidValue, message: "\(directory.path) cannot be joined with itself",
        hint: "name two stores that were unrelated")
    }
    let wasOther = try await translatingErrors {
      let storage = Storage(usedIn: directory) ?? .standard
      return try storage.logs.takeStoreID(self.id, at: directory, options: self.options.log)
    }
    let report = try await Self.withStore(at: directory, options) { peer in
      try await sync(with: peer, progress)
    }
    return (wasOther, report)
  }
}
