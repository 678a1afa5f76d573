import CarillonLog
public import CarillonModel
import CarillonSQLite
public import Foundation

extension Store {
  /// Creates a store in memory, for tests and previews.
  ///
  /// The store writes nothing to disk, and closing it leaves nothing behind.
  ///
  /// - Parameters:
  ///   - replica: The display name of the replica; 1 to 64 bytes.
  ///   - role: The kind of device.
  ///   - storeID: The store to be a replica of; a new one by default.
  ///   - options: Clock, zone, capacity and horizon.
  /// - Throws: `invalidValue`, `clockExhausted`.
  public static func inMemory(
    replica: String = "memory", role: Device.Role = .phone, storeID: StoreID = .random(),
    options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> Store {
    try await open(
      on: InMemoryEventLog(storeID: storeID, replica: .random()), replica: replica, role: role,
      options: options)
  }

  /// Opens a store on a custom event log.
  ///
  /// The log must pass the conformance suite of `CarillonTesting`.
  ///
  /// If this replica has not written anything yet, the store describes the device in the log.
  ///
  /// - Parameters:
  ///   - log: The log, already open. The store closes it.
  ///   - directory: An existing directory for the projections, not used by any other store. Nil
  ///     keeps the projections in memory; they are built on first use.
  ///   - replica: The display name of a new replica; 1 to 64 bytes.
  ///   - role: The kind of device of a new replica.
  ///   - options: Clock, zone, capacity and horizon.
  /// - Throws: `invalidValue`, `clockExhausted`, and the errors of the log.
  public static func open(
    on log: any EventLog, projectionsIn directory: URL? = nil, replica: String,
    role: Device.Role = .phone, options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> Store {
    try await StoreError.translating {
      let sealing = try Sealing(of: log, in: directory)
      let store = try Store(log, nil, at: directory, sealing, options: options)
      let identity = try log.identity()
      if try !log.branches().contains(where: { $0.replica == identity.device }) {
        let first = try firstEvent(of: replica, role, options)
        _ = try await log.record([first], wallClock: options.clock(), expecting: nil)
      }
      return store
    }
  }
}
