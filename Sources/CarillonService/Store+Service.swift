#if Service
public import Carillon
public import ServiceLifecycle

extension Store: Service {
  /// Waits until the service stops, then closes the store.
  ///
  /// ```swift
  /// let app = Application(router: router, services: [store])
  /// ```
  ///
  /// The application stops its services in reverse order, the server first, so the store outlives
  /// every request.
  public func run() async throws {
    do {
      try await gracefulShutdown()
    } catch is CancellationError {
      // The task was cancelled: the store is closed all the same.
    }
    await close()
  }
}
#endif
