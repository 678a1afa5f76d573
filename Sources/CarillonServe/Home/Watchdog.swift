#if Service
import Foundation
import ServiceLifecycle

/// Reports to the service manager that the service is ready, that it still answers, and that it
/// stops.
struct Watchdog: ServiceLifecycle.Service {
  private let manager: ServiceManager
  private let check: SelfCheck
  private let ports: AsyncStream<Int>
  private let start: AsyncStream<Int>.Continuation

  init(_ manager: ServiceManager, _ check: SelfCheck) {
    (self.manager, self.check) = (manager, check)
    (ports, start) = AsyncStream.makeStream(of: Int.self)
  }

  /// The server accepts connections at a port.
  func serverRuns(at port: Int) { start.yield(port) }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await report() }
    } catch is CancellationError {
      // The way in which the sleep ends.
    }
    manager.say("STOPPING=1")
  }

  private func report() async throws {
    guard let port = await ports.first(where: { _ in true }) else { return }
    manager.say("READY=1")
    guard let patience = manager.patience else { return try await gracefulShutdown() }
    while true {
      // A request without an answer holds back this sign of life and those after it.
      if await check.isAnswered(at: port) { manager.say("WATCHDOG=1") }
      try await Task.sleep(for: patience / 3)
    }
  }
}
#endif
