#if Service
import CarillonDocuments
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Calls a closure at the first SIGTERM or SIGINT, and ends the process at the second, or if it has
/// not ended 20 seconds later.
///
/// The signals are handled on a thread of their own, so that they work whatever keeps the others
/// busy.
/// Ending it at any time is safe: every write is all or nothing.
final class StopSignals: Sendable {
  private let sources: [any DispatchSourceSignal]
  private let isStopping = Atomic(false)

  /// Longer than the requests that are being answered may take.
  private static let patience = DispatchTimeInterval.seconds(20)

  init(_ stop: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "carillon.signals", qos: .userInteractive)
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for (number, source) in zip([SIGTERM, SIGINT], sources) {
      source.setEventHandler { [self] in
        if isStopping.exchange(true, ordering: .relaxed) { SignalEnd.end(by: number) }
        queue.asyncAfter(deadline: .now() + Self.patience) { SignalEnd.end(by: number) }
        stop()
      }
      source.resume()
    }
  }
}
#endif
