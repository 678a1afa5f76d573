#if Service
import HTTPTypes
import Hummingbird
import Synchronization

/// The answers that plan many days, which take long to compute: a few at a time, and fewer for each
/// credential.
///
/// Others wait for their turn, those first whose credential has the fewest.
final class ExpensiveReads: Sendable {
  /// The most that are computed at a time.
  private static let maxCount = 4
  /// The most that are computed at a time for one credential.
  private static let maxShare = 2
  /// The most that wait for one credential, except for the owner.
  private static let maxWaiting = 16

  private struct Waiting {
    let number: Int
    let key: Key
    let turn: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var running: [Key: Int] = [:]
    var waiting: [Waiting] = []
    var nextNumber = 0
  }

  /// Whose share a read counts in.
  enum Key: Hashable, Sendable {
    case credential(String)
    /// Of the owner, or of a person with a store of their own.
    case store(ObjectIdentifier)
  }

  private let state = Mutex(State())

  /// Computes an answer when its turn comes.
  ///
  /// - Throws: ``Problem`` `tooMany`; `CancellationError` if the task is cancelled; the errors of
  ///   `body`.
  func read<Result: Sendable>(
    _ asked: StoreRequest, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let key = asked.credential.map(Key.credential) ?? .store(ObjectIdentifier(asked.store))
    return try await withTurn(of: key, body)
  }

  /// Calls `body` when the turn of a key comes.
  ///
  /// - Throws: As ``read(_:_:)``.
  func withTurn<Result: Sendable>(
    of key: Key, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await waitForTurn(key)
    defer { leave(key) }
    return try await body()
  }

  /// The number of reads that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  // MARK: -

  private func waitForTurn(_ key: Key) async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let isTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        enter(Waiting(number: number, key: key, turn: turn))
      }
    } onCancel: {
      state.withLock { state -> Waiting? in
        let index = state.waiting.firstIndex { $0.number == number }
        return index.map { state.waiting.remove(at: $0) }
      }?.turn.resume(returning: false)
    }
    guard !isTurn else { return }
    try Task.checkCancellation()
    throw Problem(
      .tooManyRequests, code: "tooMany",
      detail: "\(Self.maxWaiting) requests of the credential that take long are waiting",
      hint: "wait for their answers first", retryAfter: 1)
  }

  private func enter(_ one: Waiting) {
    let isRefused = state.withLock { state in
      let count = state.waiting.count { $0.key == one.key }
      if case .credential = one.key, count >= Self.maxWaiting { return true }
      // A task that was cancelled before it waits is not called again.
      guard !Task.isCancelled else { return true }
      state.waiting.append(one)
      return false
    }
    if isRefused { one.turn.resume(returning: false) }
    startNext()
  }

  private func leave(_ key: Key) {
    state.withLock { state in
      let left = state.running[key, default: 1] - 1
      state.running[key] = left > 0 ? left : nil
    }
    startNext()
  }

  /// Gives a turn to each that may start.
  private func startNext() {
    while let turn = state.withLock({ Self.takeNext(&$0) }) { turn.resume(returning: true) }
  }

  private static func takeNext(_ state: inout State) -> CheckedContinuation<Bool, Never>? {
    guard state.running.values.reduce(0, +) < maxCount else { return nil }
    func count(_ one: Waiting) -> Int { state.running[one.key, default: 0] }
    let free = state.waiting.indices.filter { count(state.waiting[$0]) < maxShare }
    guard let index = free.min(by: { count(state.waiting[$0]) < count(state.waiting[$1]) })
    else { return nil }
    let one = state.waiting.remove(at: index)
    state.running[one.key, default: 0] += 1
    return one.turn
  }
}
#endif
