#if Service
import CarillonModel
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The answers that take long to compute, such as plans and audits: a few at a time, and at most
/// half of them for each credential, for each store of a person, or for each person of a hub.
///
/// Others wait for their turn, those first whose share is used least.
final class ExpensiveReads: Sendable {
  /// The most that wait for one credential or one person of a hub.
  private static let maxWaiting = 16

  /// Whose share a read counts in.
  enum Key: Hashable, Sendable {
    case credential(String)
    /// Of the owner, or of a person with a store of their own.
    case store(ObjectIdentifier)
    /// Of a person of a hub, with any device.
    case person(StoreID)

    init(_ credential: String?, _ store: AnyObject) {
      self = credential.map(Key.credential) ?? .store(ObjectIdentifier(store))
    }

    /// What has the share, if a limited number of its reads may wait.
    fileprivate var holder: String? {
      switch self {
      case .credential: "the credential"
      case .person: "the person"
      case .store: nil
      }
    }
  }

  private struct State {
    var running: [Key: Int] = [:]
    /// The reads that wait; each goes on when its stream finishes.
    var waiting: [(key: Key, turn: AsyncStream<Void>.Continuation)] = []
  }

  private let maxCount: Int
  private let state = Mutex(State())

  /// - Parameter maxCount: The most that are computed at a time.
  init(maxCount: Int) {
    self.maxCount = maxCount
  }

  /// The number of reads that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Computes an answer when its turn comes, unless its client is gone by then.
  ///
  /// - Throws: As ``withTurn(of:on:_:)``.
  func read<Result: Sendable>(
    _ asked: StoreRequest, _ body: @Sendable @escaping () async throws -> Result
  ) async throws -> Result {
    try await withTurn(of: Key(asked.credential, asked.store), on: asked.channel, body)
  }

  /// Calls `body` when the turn of a key comes, unless the client is gone by then.
  ///
  /// - Parameter channel: The connection of the client; nil if it is not known.
  /// - Throws: ``Problem`` `tooMany`, and `cancelled` if the client goes; `CancellationError` if
  ///   the task is cancelled; the errors of `body`.
  func withTurn<Result: Sendable>(
    of key: Key, on channel: (any Channel)?,
    _ body: @Sendable @escaping () async throws -> Result
  ) async throws -> Result {
    guard let client = try await channel?.client else {
      return try await withTurn(of: key, body)
    }
    return try await client.whileConnected { try await self.withTurn(of: key, body) }
  }

  /// Calls `body` when the turn of a key comes.
  ///
  /// - Throws: As ``withTurn(of:on:_:)``.
  func withTurn<Result: Sendable>(
    of key: Key, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let (turn, start) = AsyncStream.makeStream(of: Void.self)
    try enter(key, start)
    startNext()
    // Also ends if the task is cancelled.
    for await _ in turn {}
    guard !leaveQueue(start) else { throw CancellationError() }
    defer { leave(key) }
    try Task.checkCancellation()
    return try await body()
  }

  // MARK: -

  private func enter(_ key: Key, _ start: AsyncStream<Void>.Continuation) throws(Problem) {
    let isRefused = state.withLock { state in
      let count = state.waiting.count { $0.key == key }
      if key.holder != nil, count >= Self.maxWaiting { return true }
      state.waiting.append((key, start))
      return false
    }
    guard isRefused, let holder = key.holder else { return }
    throw Problem(
      .tooManyRequests, code: "tooMany",
      detail: "\(Self.maxWaiting) requests of \(holder) that take long are waiting",
      hint: "wait for their answers first", retryAfter: 1)
  }

  /// Removes a read from those that wait; returns false if its turn has come.
  private func leaveQueue(_ start: AsyncStream<Void>.Continuation) -> Bool {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.turn == start }) else { return false }
      state.waiting.remove(at: index)
      return true
    }
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
    while let turn = state.withLock({ takeNext(&$0) }) { turn.finish() }
  }

  private func takeNext(_ state: inout State) -> AsyncStream<Void>.Continuation? {
    guard state.running.values.reduce(0, +) < maxCount else { return nil }
    func count(_ index: Int) -> Int { state.running[state.waiting[index].key, default: 0] }
    let free = state.waiting.indices.filter { count($0) < max(1, maxCount / 2) }
    guard let index = free.min(by: { count($0) < count($1) }) else { return nil }
    let next = state.waiting.remove(at: index)
    state.running[next.key, default: 0] += 1
    return next.turn
  }
}
#endif
