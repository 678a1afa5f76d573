#if Service
import Carillon
import CarillonLog
import Synchronization

/// How far the rebuilds are that the service runs, for the live streams of their stores.
final class Rebuilds: Sendable {
  private let progress = Mutex<[ObjectIdentifier: RebuildProgress]>([:])
  private let news = Broadcast<Void>()

  /// Returns the progress of a store's rebuild; nil if none runs.
  func progress(of store: Store) -> RebuildProgress? {
    progress.withLock { $0[ObjectIdentifier(store)] }
  }

  /// Notes the progress of a store's rebuild; nil at its end.
  func note(_ progress: RebuildProgress?, of store: Store) {
    self.progress.withLock { $0[ObjectIdentifier(store)] = progress }
    news.yield((), for: store)
  }

  /// Returns a stream that has an element whenever the progress of a store's rebuild changes.
  func changes(of store: Store) -> AsyncStream<Void> { news.stream(for: store) }
}
#endif
