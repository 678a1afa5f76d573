internal import CarillonLog
public import CarillonModel
package import CarillonSQLite
public import Foundation
internal import Logging
internal import Synchronization

/// One replica of one person's data: the log, the projections derived from it, and the verbs that
/// add events to it.
///
/// A store is a directory. Any number of tasks and processes may use it at once. Every write is
/// durable when it returns, and every query sees everything written before it.
///
/// ```swift
/// let store = try await Store.create(at: directory, replica: "phone", role: .phone)
/// let walk = try await store.add(
///   Habit("Walk", .weekly(on: [.monday, .friday], at: ["07:30", "17:00"], unless: .done)))
/// try await store.markDone(walk.id, on: .today)
/// let plan = try await store.plan()
/// await store.close()
/// ```
public final class Store: Sendable {
  /// The store's directory; `/dev/null` for a store in memory.
  public let directory: URL
  /// How the log is kept in the directory; nil for a store with a custom log or in memory.
  public let storage: Storage?
  /// The events, from which everything else is derived; opened if the store is sealed.
  package let log: any EventLog
  /// The events as the log keeps them, which is what sync, backups and checks of IDs read.
  package let keptLog: any EventLog
  /// How payloads are kept.
  let sealing: Sealing
  /// The projections, opened by the first use of ``projections``.
  let unopenedProjections: SQLiteProjections
  package let options: StoreOptions
  var logger: Logger { options.logger }
  /// The replica and logical date of the activity that this process last saw in the log.
  let lastActivity = Mutex<(replica: ReplicaID, date: CivilDate)?>(nil)

  /// The decisions of concurrent writes.
  let decisions = DecisionGroups()

  private let isClosed = Atomic(false)

  /// The status of the syncs that this store initiated.
  let syncs = SyncWatch()

  /// Reports that the log may have grown.
  let growth: Broadcast<Void>

  /// The log, if it is kept in files.
  var storedLog: (any StoredLog)? { keptLog as? any StoredLog }

  /// The store's ID, equal on all its replicas.
  public var id: StoreID { log.storeID }

  /// The projections, opened and if necessary rebuilt.
  ///
  /// Opening them also completes an interrupted sweep. Functions that read only the log do not need
  /// them.
  package var projections: SQLiteProjections {
    get async throws {
      if case .withoutKeys = sealing { throw StoreError.missingKeys(of: id) }
      if try await unopenedProjections.open() { await sweepIfDue() }
      return unopenedProjections
    }
  }

  /// Creates a store in an absent or empty directory, and describes the device in it.
  ///
  /// If several processes do so in the same place at once, one succeeds and the others leave its
  /// files alone. If creation is interrupted, it can be repeated in the same place. Only the owner
  /// can access the directory.
  ///
  /// - Parameters:
  ///   - directory: The directory of the store.
  ///   - replica: The display name of this replica; 1 to 64 bytes.
  ///   - role: The kind of device.
  ///   - storeID: The ID of the store that this replica joins; a new ID by default.
  ///   - storage: How the log is kept.
  ///   - options: Clock, zone, capacity and horizon.
  /// - Returns: The open store.
  /// - Throws: `alreadyExists` if the directory is not empty or another process is creating a store
  ///   in it, `invalidValue`, `readOnly`, `io`, `full`, `clockExhausted`. Nothing is left behind
  ///   then.
  public static func create(
    at directory: URL, replica: String, role: Device.Role = .phone, storeID: StoreID = .random(),
    storage: Storage = .standard, options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> Store {
    try await make(at: directory, replica, role, storeID, storage, options) { _ in }.store
  }

  /// Opens a store of any storage.
  ///
  /// The first call that needs the projections opens them, and rebuilds them if they are missing,
  /// damaged or of another version.
  ///
  /// - Throws: `notFound` if there is no store, `invalidValue` if its path is too long, `corrupt`
  ///   if the log is damaged, `missingKeys` if the store is sealed and its keys are not here,
  ///   `readOnly`, `busy`, `io`.
  public static func open(
    at directory: URL, options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> Store {
    try requireShortPath(directory)
    return try await StoreError.translating {
      let storage = try Storage(usedIn: directory) ?? .standard
      let log = try openLog(storage, at: directory, options)
      do {
        let sealing = try Sealing(of: log, in: directory, mayLackKeys: options.mayLackKeys)
        let store = try Store(log, storage, at: directory, sealing, options: options)
        try await store.useNewKeys()
        return store
      } catch {
        await log.close()
        throw error
      }
    }
  }

  /// Opens a store, calls a closure, and closes the store, even if the closure throws.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of ``open(at:options:)`` and of the closure.
  public static func with<Result>(
    at directory: URL, options: StoreOptions = StoreOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Result
  ) async throws -> Result {
    try await open(at: directory, options: options).closing(after: body)
  }

  /// Calls a closure, and closes the store, even if the closure throws.
  package func closing<Result>(
    isolation: isolated (any Actor)? = #isolation, after body: (Store) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body(self)
      await close()
      return result
    } catch {
      await close()
      throw error
    }
  }

  private static func openLog(
    _ storage: Storage, at directory: URL, _ options: StoreOptions
  ) throws -> any StoredLog {
    do {
      return try storage.logs.open(at: directory, options: options.log)
    } catch let error as LogError where error.code == .corrupt {
      throw StoreError(
        code: .corrupt, message: error.message, reason: .unreadableLog, cause: error)
    }
  }

  /// Waits for pending writes, then closes the store.
  ///
  /// Idempotent.
  ///
  /// A store that is released without being closed closes itself in the background.
  public func close() async {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    syncs.finish()
    await sweepIfDue()
    await unopenedProjections.close()
    await log.close()
  }

  /// Creates a store on an open log.
  ///
  /// - Parameter directory: The directory of the projections; nil keeps them in memory.
  init(
    _ log: any EventLog, _ storage: Storage?, at directory: URL?, _ sealing: Sealing = .plain,
    options: StoreOptions
  ) throws {
    self.directory = directory ?? URL(filePath: "/dev/null")
    self.storage = storage
    self.sealing = sealing
    keptLog = log
    self.log = try sealing.opening(log, clock: options.clock)
    growth = Broadcast { [logger = options.logger] send in
      await Self.watchGrowth(of: log, logger) { send(()) }
    }
    unopenedProjections = SQLiteProjections(
      at: directory, log: self.log, kept: log, builderLimit: options.builderTimeout,
      opened: options.projections, logger: options.logger)
    self.options = options
    // The projections retain the log. If the log also retained them, neither would ever close.
    log.setIdentityAnnouncement { [weak unopenedProjections] identity in
      if case .withoutKeys = sealing { return [] }
      guard let unopenedProjections else {
        throw StoreError(code: .closed, message: "the store was closed")
      }
      return try NewIdentity.payloads(
        of: identity, projections: unopenedProjections, options: options)
    }
  }
}
