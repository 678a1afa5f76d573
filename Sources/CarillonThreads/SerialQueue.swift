internal import Dispatch
internal import Synchronization

/// Runs closures one after the other, in the order in which they were added.
///
/// It has no thread of its own: it runs on a ``ThreadPool``, and on the threads of its synchronous
/// callers. A synchronous caller waits only for a closure that is already running, never for a
/// thread of the pool. So closures of different queues may wait for each other as if each queue had
/// a thread.
package final class SerialQueue: Sendable {
  private let pool: ThreadPool
  private let state = Mutex(State())

  private struct State {
    var turns: [Turn] = []
    /// Whether a thread is running the queue, so that no other one may.
    var isRunning = false
    /// Whether the queue waits for a thread of the pool.
    var isWaitingForPool = false
  }

  private enum Turn {
    case closure(@Sendable () -> Void)
    /// A synchronous caller, who is woken to run the queue up to its own turn.
    case caller(DispatchSemaphore)
  }

  package init(on pool: ThreadPool = .shared) {
    self.pool = pool
  }

  /// Adds a closure, and returns at once.
  package func async(_ body: @escaping @Sendable () -> Void) {
    let mustRun = state.withLock { state in
      state.turns.append(.closure(body))
      return Self.claimPool(&state)
    }
    if mustRun { pool.run(self) }
  }

  /// Adds a closure before all that wait.
  ///
  /// For a closure that continues its work, and lets other queues use the thread in between.
  package func asyncNext(_ body: @escaping @Sendable () -> Void) {
    let mustRun = state.withLock { state in
      state.turns.insert(.closure(body), at: 0)
      return Self.claimPool(&state)
    }
    if mustRun { pool.run(self) }
  }

  /// Calls a closure on the caller's thread, after those that were added before.
  ///
  /// Must not be called by a closure of the same queue.
  package func sync<Value, Failure>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    waitForTurn()
    defer { leave() }
    return try body()
  }

  /// Calls a closure after those that were added before, without blocking the caller's thread.
  ///
  /// A task of ``MainThread`` calls it on its own thread.
  package func perform<Value: Sendable, Failure>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if MainThread.isCurrent { return try sync(body) }
    let result = await withCheckedContinuation { continuation in
      async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  // MARK: - On the callers' threads

  /// Returns when the caller runs the queue and no earlier closure is left.
  private func waitForTurn() {
    let turn = state.withLock { state -> DispatchSemaphore? in
      if !state.isRunning && state.turns.isEmpty {
        state.isRunning = true
        return nil
      }
      let turn = DispatchSemaphore(value: 0)
      state.turns.append(.caller(turn))
      // Nobody runs the queue, so the caller does, in place of a thread of the pool.
      if !state.isRunning {
        state.isRunning = true
        turn.signal()
      }
      return turn
    }
    guard let turn else { return }
    turn.wait()
    while let body = nextBeforeCaller() { body() }
  }

  /// Takes the closure at the start; takes the caller's own turn instead, and returns nil, if that
  /// comes first.
  private func nextBeforeCaller() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard case .closure(let body) = state.turns.removeFirst() else { return nil }
      return body
    }
  }

  // MARK: - On the thread that runs the queue

  /// Runs closures until a caller's turn comes, or until another queue waits for the thread.
  func runOnPool() {
    let isFree = state.withLock { state in
      state.isWaitingForPool = false
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFree else { return }
    repeat {
      guard let body = nextOnPool() else { break }
      body()
    } while !pool.hasWaitingQueues
    leave()
  }

  private func nextOnPool() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard case .closure(let body) = state.turns.first else { return nil }
      state.turns.removeFirst()
      return body
    }
  }

  /// Gives the queue to the first caller who waits, or else to the pool.
  private func leave() {
    let mustRun = state.withLock { state in
      for case .caller(let turn) in state.turns {
        turn.signal()
        return false
      }
      state.isRunning = false
      return Self.claimPool(&state)
    }
    if mustRun { pool.run(self) }
  }

  /// Whether the queue must be given to the pool, and notes that it is.
  private static func claimPool(_ state: inout State) -> Bool {
    guard !state.isRunning, !state.isWaitingForPool, !state.turns.isEmpty else { return false }
    state.isWaitingForPool = true
    return true
  }
}
