public import CarillonModel
public import CarillonSync
import CarillonSQLite
public import Foundation

extension Store {
  /// Makes a new replica of a store in a directory that is absent or empty, and syncs the two once.
  ///
  /// The new replica has no predecessor: its permission is not determined, it was never asked, and
  /// its alerts are off.
  ///
  /// - Throws: As `create` and `sync`. Nothing is left behind then.
  public static func clone(
    _ source: Store, at directory: URL, replica: String, role: Device.Role = .phone,
    options: StoreOptions = StoreOptions(),
    _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (store: Store, report: SyncReport) {
    let wasAbsent = !FileManager.default.fileExists(atPath: directory.path)
    let store = try await create(
      at: directory, replica: replica, role: role, storeID: source.id, options: options)
    do {
      return (store, try await store.sync(with: source, progress))
    } catch {
      await store.close()
      try removeStore(at: directory, withDirectory: wasAbsent)
      throw error
    }
  }

  /// Exchanges what each of two stores lacks; both hold the same events afterwards.
  ///
  /// - Parameters:
  ///   - peer: Another replica of this store.
  ///   - progress: Called with events moved so far and how many are known to move.
  /// - Returns: What moved, as this store sees it.
  /// - Throws: `otherStore` for a replica of another store, `protocol`, and what the logs throw.
  ///   What was appended before stays.
  @discardableResult
  public func sync(
    with peer: Store, _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try await translatingErrors {
      try await LocalSync.synchronize(
        self.log, peer.log, wallClock: self.options.clock(), progress: progress)
    }
  }
}
