#if Service
import Carillon
import Foundation
import Synchronization

/// How far the rebuilds are that the service runs, for the live streams of their stores.
final class Rebuilds: Sendable {
  private struct State {
    var progress: [ObjectIdentifier: RebuildProgress] = [:]
    var followers: [UUID: (store: ObjectIdentifier, change: AsyncStream<Void>.Continuation)] = [:]
  }

  private let state = Mutex(State())

  /// Returns the progress of a store's rebuild; nil if none runs.
  func progress(of store: Store) -> RebuildProgress? {
    state.withLock { $0.progress[ObjectIdentifier(store)] }
  }

  /// Notes the progress of a store's rebuild; nil at its end.
  func note(_ progress: RebuildProgress?, of store: Store) {
    let id = ObjectIdentifier(store)
    let followers = state.withLock { state in
      state.progress[id] = progress
      return state.followers.values.filter { $0.store == id }
    }
    for follower in followers { follower.change.yield() }
  }

  /// Returns a stream that has an element whenever the progress of a store's rebuild changes.
  func changes(of store: Store) -> AsyncStream<Void> {
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let follower = UUID()
    state.withLock { $0.followers[follower] = (ObjectIdentifier(store), change) }
    change.onTermination = { [weak self] _ in
      self?.state.withLock { $0.followers[follower] = nil }
    }
    return changes
  }
}
#endif
