import CarillonModel
import CarillonSQLite
import Logging

extension Store {
  /// Describes this device again before a sync if the other devices no longer count on it.
  ///
  /// A device counts itself as in use, but another one counts it only by what it wrote. Without
  /// this event, both would deliver the same reminders after the sync.
  func showSignOfLife() async throws {
    guard hasContents else { return }
    guard try await read({ try self.deviceElection($0).isForgotten }) else { return }
    do {
      _ = try await write(isActivity: false) { context in
        guard try self.deviceElection(context).isForgotten,
          let description = try context.ownDevice().description
        else { return Decision(payloads: []) }
        return Decision(payloads: [.deviceDescribed(description)], needsState: true)
      }
    } catch {
      guard error.code == .full || error.code == .readOnly else { throw error }
      // What is in the log can still be sent.
      logger.warning("no sign of life before a sync: \(error.message)")
    }
  }
}
