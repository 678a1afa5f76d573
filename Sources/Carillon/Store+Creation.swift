import CarillonModel
import CarillonSQLite
package import Foundation

extension Store {
  /// Creates a store that no other process can open yet, describes the device in it, fills it, and
  /// then publishes it.
  ///
  /// - Throws: The errors of `create` and of `fill`. Nothing is left behind then.
  static func make<Result: Sendable>(
    at directory: URL, _ replica: String, _ role: Device.Role, _ storeID: StoreID,
    _ storage: Storage, _ options: StoreOptions, _ sealing: Sealing = .plain,
    filling fill: (Store) async throws -> Result
  ) async throws(StoreError) -> (store: Store, result: Result) {
    let first = try StoreError.translating { try firstEvent(of: replica, role, options) }
    return try await make(at: directory, storeID, storage, options, sealing) { store in
      if store.hasContents {
        let events = sealing.firstEvents + [first]
        _ = try await store.log.record(events, wallClock: options.clock(), expecting: nil)
      }
      return try await fill(store)
    }
  }

  /// Creates a store that no other process can open yet, fills it, and then publishes it.
  ///
  /// - Throws: The errors of `create` and of `fill`. Nothing is left behind then.
  static func make<Result: Sendable>(
    at directory: URL, _ storeID: StoreID, _ storage: Storage, _ options: StoreOptions,
    _ sealing: Sealing = .plain, replica: ReplicaID = .random(),
    filling fill: (Store) async throws -> Result
  ) async throws(StoreError) -> (store: Store, result: Result) {
    try requireShortPath(directory)
    return try await StoreError.translating {
      _ = try Timestamp.next(wallClock: options.clock(), after: nil)
      let creation = try startLog(on: storage, at: directory, storeID, replica, options)
      // An existing directory may be accessible to others. That of another owner is left unchanged.
      chmod(directory.path, 0o700)
      var hasNewKeys = false
      do {
        hasNewKeys = try prepareKeys(sealing, in: directory)
        let store = try Store(creation.log, storage, at: directory, sealing, options: options)
        do {
          let result = try await fill(store)
          try creation.publish()
          store.keepKeys()
          return (store, result)
        } catch {
          await store.unopenedProjections.close()
          throw error
        }
      } catch {
        if hasNewKeys { KeyFile.remove(in: directory) }
        SQLiteProjections.removeFiles(in: directory)
        creation.discard()
        throw error
      }
    }
  }

  /// Returns the first event of a new replica: the description of its device.
  ///
  /// - Throws: `ModelError`.
  static func firstEvent(
    of replica: String, _ role: Device.Role, _ options: StoreOptions
  ) throws -> NewEvent {
    let description = DeviceDescription(
      name: replica.precomposedStringWithCanonicalMapping, role: role,
      zone: options.zone().ianaName, zoneDataVersion: TimeZone.timeZoneDataVersion,
      capacity: options.capacity)
    guard description.name.isVisible || description.name.isEmpty else {
      throw ModelError.invalid(
        "name", "has no visible character; 1 to 64 bytes with at least one are required")
    }
    return try NewEvent(.deviceDescribed(description), at: options.clock())
  }

  /// Starts a log in an absent or empty directory.
  private static func startLog(
    on storage: Storage, at directory: URL, _ storeID: StoreID, _ replica: ReplicaID,
    _ options: StoreOptions
  ) throws -> any LogCreation {
    func make(on storage: Storage) throws -> any LogCreation {
      try storage.logs.make(
        at: directory, storeID: storeID, replica: replica, options: options.log)
    }
    // A new log replaces an unfinished one, unless a process is still creating that one.
    for other in try requireEmpty(directory, for: storage) { try make(on: other).discard() }
    let creation = try make(on: storage)
    do {
      // Another process may have started a log on another storage meanwhile.
      guard try requireEmpty(directory, for: storage).isEmpty else {
        throw StoreError(
          code: .alreadyExists,
          message: "another process is creating a store at \(directory.path)",
          reason: .existingStore)
      }
      let remotes = directory.appending(path: remotes).path
      guard options.continuesJoin || !FileManager.default.fileExists(atPath: remotes) else {
        throw StoreError(
          code: .alreadyExists,
          message: "\(directory.path) has the credential of a service that a store was to join",
          reason: .unfinishedJoin,
          hint: "go on with joining that service, or choose another directory")
      }
      return creation
    } catch {
      creation.discard()
      throw error
    }
  }

  /// The directory of a store for the services with which it syncs.
  package static let remotes = "remotes"

  /// Checks that a directory has nothing but the files of a storage, which checks them itself, and
  /// what a process leaves that is killed while it creates a store: an unfinished log, projections,
  /// keys, and the services that the store was to sync with.
  ///
  /// - Returns: The other storages with an unfinished log in the directory.
  /// - Throws: `alreadyExists`.
  @discardableResult
  package static func requireEmpty(
    _ directory: URL, for storage: Storage = .standard
  ) throws -> [Storage] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: directory.path, isDirectory: &isDirectory) else {
      return []
    }
    guard isDirectory.boolValue else {
      throw StoreError(
        code: .alreadyExists, message: "\(directory.path) is not a directory",
        hint: "choose a new or empty directory")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let isLeft = { (name: String) in
      storage.logs.owns(name) || Storage.allCases.contains { $0.logs.ownsUnfinished(name) }
        || SQLiteProjections.isFile(name) || KeyFile.isFile(name) || name == remotes
    }
    guard !names.allSatisfy(isLeft) else {
      return Storage.allCases.filter {
        $0 != storage && names.contains(where: $0.logs.ownsUnfinished)
      }
    }
    guard try Storage(usedIn: directory) == nil else { throw existing(at: directory) }
    throw StoreError(
      code: .alreadyExists, message: "\(directory.path) exists and is not an empty directory",
      hint: "choose a new or empty directory")
  }

  /// The error that a directory has a store already.
  static func existing(at directory: URL) -> StoreError {
    StoreError(
      code: .alreadyExists, message: "a store already exists at \(directory.path)",
      reason: .existingStore, hint: "open it, or choose another directory")
  }
}
