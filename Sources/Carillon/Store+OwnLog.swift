public import CarillonModel
import CarillonSQLite
public import Foundation

extension Store {
  /// Opens a store on an event log of your own, which the conformance suite of `CarillonTesting`
  /// has passed.
  ///
  /// Where this replica has written nothing yet, the store describes the device in the log.
  ///
  /// - Parameters:
  ///   - log: The log, open. The store closes it.
  ///   - directory: An existing directory for the projections, which no other store uses. Nil holds
  ///     them in memory, and builds them at the first use.
  ///   - replica: The name by which people know a new replica; 1 to 64 bytes.
  ///   - role: What kind of device a new replica is.
  ///   - options: Clock, zone, capacity and horizon.
  /// - Throws: `invalidValue`, `clockExhausted`, and what the log throws.
  public static func open(
    on log: any EventLog, projectionsIn directory: URL? = nil, replica: String,
    role: Device.Role = .phone, options: StoreOptions = StoreOptions()
  ) async throws -> Store {
    try await translatingErrors {
      let identity = try log.identity()
      if try !log.branches().contains(where: { $0.replica == identity.device }) {
        let first = try firstEvent(of: replica, role, options)
        _ = try await log.record([first], wallClock: options.clock(), expecting: nil)
      }
      return Store(log, nil, at: directory, options: options)
    }
  }
}
