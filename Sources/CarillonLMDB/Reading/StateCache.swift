internal import CarillonModel
internal import Synchronization

/// The newest state that this process has read or written, so that the tables are read again only
/// where another process has committed.
final class StateCache: Sendable {
  /// Guards the state and nothing else.
  private let cached = Mutex<LogState?>(nil)

  /// The newest that is known.
  var newest: LogState? { cached.withLock { $0 } }

  /// The state of a snapshot.
  ///
  /// - Complexity: O(1) where nobody else has committed, else O(branches).
  func state(of snapshot: PageSnapshot) throws(LogError) -> LogState {
    if let newest, newest.transaction == snapshot.transaction { return newest }
    let state = try LogState(snapshot)
    put(state)
    return state
  }

  /// Keeps a state, unless a newer one is kept.
  func put(_ state: LogState) {
    cached.withLock { cached in
      if cached.map({ $0.transaction <= state.transaction }) ?? true { cached = state }
    }
  }
}
