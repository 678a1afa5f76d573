public import CarillonModel
package import CarillonSQLite
public import Foundation
internal import Logging
internal import Synchronization

/// One replica of one person's data: the log, what follows from it, and the verbs that add to it.
///
/// A store is a directory. Any number of tasks and processes may use it at once. Every write is
/// durable when it returns; every query sees all that was written before it.
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
  /// Where the store lives; `/dev/null` for one in memory.
  public let directory: URL
  /// What keeps the log in the directory; nil for a store on a log of one's own, or in memory.
  public let storage: Storage?
  /// The events, by which everything else is made.
  package let log: any EventLog
  /// The projections, which are opened by the first use of ``projections``.
  let tables: SQLiteProjections
  let options: StoreOptions
  var logger: Logger { options.logger }
  /// The replica and logical date whose activity this process last saw in the log.
  let lastActivity = Mutex<(replica: ReplicaID, date: CivilDate)?>(nil)

  private let isClosed = Atomic(false)

  /// What is known of the syncs that this store initiates.
  let syncs = SyncWatch()

  /// The log, where it lies in files.
  var storedLog: (any StoredLog)? { log as? any StoredLog }

  /// The store whose data these are; equal on all its replicas.
  public var id: StoreID { log.storeID }

  /// The projections, open: built where need be, after which what an interrupted sweep left in the
  /// log is taken out.
  ///
  /// Verbs that read the log alone do without.
  package var projections: SQLiteProjections {
    get async throws {
      if try await tables.open() { await sweepIfDue() }
      return tables
    }
  }

  /// Makes a store in a directory that is absent or empty, and describes the device in it.
  ///
  /// Of several processes that do so at once in one place, one makes it; what another made is never
  /// touched. Where it is cut off, it can be made again in the same place. The directory is the
  /// owner's alone.
  ///
  /// - Parameters:
  ///   - directory: Where the store shall live.
  ///   - replica: The name by which people know this replica; 1 to 64 bytes.
  ///   - role: What kind of device it is.
  ///   - storeID: The store to be a replica of; a new one by default.
  ///   - storage: What keeps the log.
  ///   - options: Clock, zone, capacity and horizon.
  /// - Returns: The open store.
  /// - Throws: `alreadyExists` where the directory is not empty or somebody else is making a store
  ///   in it, `invalidValue`, `readOnly`, `io`, `full`, `clockExhausted`. Nothing is left behind
  ///   then.
  public static func create(
    at directory: URL, replica: String, role: Device.Role = .phone, storeID: StoreID = .random(),
    storage: Storage = .standard, options: StoreOptions = StoreOptions()
  ) async throws -> Store {
    try await make(at: directory, replica, role, storeID, storage, options) { _ in }.store
  }

  /// Opens a store, whatever its storage.
  ///
  /// The first call that needs its projections opens them, and brings them back where they are
  /// missing, damaged or of another version.
  ///
  /// - Throws: `notFound`, `corrupt`, `readOnly`, `busy`, `io`.
  public static func open(
    at directory: URL, options: StoreOptions = StoreOptions()
  ) async throws -> Store {
    try await translatingErrors {
      let storage = Storage(usedIn: directory) ?? .standard
      let log = try openLog(storage, at: directory, options)
      return Store(log, storage, at: directory, options: options)
    }
  }

  private static func openLog(
    _ storage: Storage, at directory: URL, _ options: StoreOptions
  ) throws -> any StoredLog {
    do {
      return try storage.logs.open(at: directory, options: options.log)
    } catch let error as LogError where error.code == .corrupt {
      throw StoreError(
        code: .corrupt, message: error.message,
        hint: "nothing of it can be read: make a new replica from another one: "
          + "carillon clone PEER DIR --replica NAME", cause: error)
    }
  }

  /// Waits for what is being written, then closes the store; idempotent.
  ///
  /// A store that is let go without it closes by itself, in the background.
  public func close() async {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    syncs.finish()
    await sweepIfDue()
    await tables.close()
    await log.close()
  }

  /// A store on a log that is open.
  ///
  /// - Parameter directory: Nil for projections in memory.
  init(
    _ log: any EventLog, _ storage: Storage?, at directory: URL?, options: StoreOptions
  ) {
    self.directory = directory ?? URL(filePath: "/dev/null")
    self.storage = storage
    self.log = log
    tables = SQLiteProjections(
      at: directory, log: log, builderLimit: options.builderTimeout, logger: options.logger)
    self.options = options
    // The projections hold the log, which would otherwise hold them, and neither would ever close.
    log.setIdentityAnnouncement { [weak tables] identity in
      guard let tables else {
        throw StoreError(code: .closed, message: "the store was closed")
      }
      return try NewIdentity.payloads(of: identity, projections: tables, options: options)
    }
  }
}
