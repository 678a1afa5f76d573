#if Service
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Calls a closure at the first SIGTERM or SIGINT, and ends the process at the second.
///
/// Ending it at any time is safe: every write is all or nothing.
final class StopSignals: Sendable {
  private let sources: [any DispatchSourceSignal]
  private let isStopping = Atomic(false)

  init(_ stop: @escaping @Sendable () -> Void) {
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
    for (number, source) in zip([SIGTERM, SIGINT], sources) {
      source.setEventHandler { [self] in
        if isStopping.exchange(true, ordering: .relaxed) { _exit(128 + number) }
        stop()
      }
      source.resume()
    }
  }
}
#endif
