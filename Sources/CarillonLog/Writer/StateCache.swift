internal import Synchronization

/// The newest state that this process has read or written, so that the tables are read again only
/// after a commit of another process.
package final class StateCache: Sendable {
  /// Guards only the state.
  private let cached = Mutex<LogState?>(nil)

  package init() {}

  /// The newest known state.
  package var newest: LogState? { cached.withLock { $0 } }

  /// Returns the state after a commit.
  ///
  /// - Parameter load: Reads the state from the tables.
  /// - Complexity: O(1) if no other process has committed, otherwise O(branches).
  package func state<Failure>(
    after commit: UInt64, load: () throws(Failure) -> LogState
  ) throws(Failure) -> LogState {
    if let newest, newest.commit == commit { return newest }
    let state = try load()
    put(state)
    return state
  }

  /// Stores a state, unless a newer one is stored.
  package func put(_ state: LogState) {
    cached.withLock { cached in
      if cached.map({ $0.commit <= state.commit }) ?? true { cached = state }
    }
  }
}
