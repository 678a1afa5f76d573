internal import CarillonModel
internal import Synchronization

/// The newest state that this process has read or written, so that the tables are read again only
/// after a commit of another process.
final class StateCache: Sendable {
  /// Guards only the state.
  private let cached = Mutex<LogState?>(nil)

  /// The newest known state.
  var newest: LogState? { cached.withLock { $0 } }

  /// Returns the state of a snapshot.
  ///
  /// - Complexity: O(1) if no other process has committed, otherwise O(branches).
  func state(of snapshot: PageSnapshot) throws(LogError) -> LogState {
    if let newest, newest.transaction == snapshot.transaction { return newest }
    let state = try LogState(snapshot)
    put(state)
    return state
  }

  /// Stores a state, unless a newer one is stored.
  func put(_ state: LogState) {
    cached.withLock { cached in
      if cached.map({ $0.transaction <= state.transaction }) ?? true { cached = state }
    }
  }
}
