#if Service
import Carillon
import CarillonAccess
import Foundation
import Logging
import Synchronization

/// The file that says that this service runs, and at which address, so that invitations find it.
final class Announcement: Sendable {
  private let running: RunningServices
  private let logger: Logger
  private let isOpen: Bool
  private let state: Mutex<State>

  private struct State {
    var key: String?
    var address: URL?
    var entry: RunningServices.Entry?
  }

  /// - Parameter isOpen: Whether other computers can connect.
  /// - Throws: `invalidValue`, `readOnly`, `full`, `io`.
  init(of store: URL, isOpen: Bool, _ logger: Logger) throws(StoreError) {
    running = try RunningServices(of: store)
    (self.isOpen, self.logger) = (isOpen, logger)
    state = Mutex(State())
  }

  /// Adds the file.
  func start(at address: URL) {
    state.withLock { state in
      state.address = address
      write(&state)
    }
  }

  /// Sets the pin of the service's key, and replaces the file if the key is another one.
  func setKey(_ key: String) {
    state.withLock { state in
      guard state.key != key else { return }
      let isChange = state.key != nil
      state.key = key
      guard isChange else { return }
      write(&state)
      logger.warning("the certificate has another key; devices must be invited again")
    }
  }

  /// Removes the file.
  func stop() {
    state.withLock { $0.entry = nil }
  }

  private func write(_ state: inout State) {
    guard let address = state.address else { return }
    do {
      state.entry = try running.add(
        .init(address: address, key: state.key, isOpen: isOpen))
    } catch {
      logger.warning(
        "invitations do not find this service, since its file cannot be written",
        metadata: ["error": "\(error.message)"])
    }
  }
}
#endif
