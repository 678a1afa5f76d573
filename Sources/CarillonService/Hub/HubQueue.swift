#if Service
import CarillonHub
import CarillonModel
import Metrics
import Synchronization

/// The requests of a hub that use its database: a bounded number of them, with a bounded number of
/// bytes, for each part of the database.
///
/// A group that fails repeatedly is left alone for a time, and its requests are refused at once.
final class HubQueue: Sendable {
  /// A part of the database that can fail alone.
  enum Part: Hashable, Sendable {
    /// One group of servers.
    case group(String)
    /// All groups, which are asked for a device whose group is not known. The database leaves alone
    /// those that fail.
    case allGroups
  }

  private let maxCount: Int
  private let maxBytes: Int
  private let parts = Mutex<[Part: State]>([:])
  private let refused: Counter
  private let waiting: Gauge

  private struct State {
    var count = 0
    var byteCount = 0
    var breaker = CircuitBreaker()
  }

  /// - Parameters:
  ///   - maxCount: The maximum number of requests that wait for a part or use it.
  ///   - maxBytes: The maximum number of their bytes.
  init(maxCount: Int, maxBytes: Int, _ metrics: ServiceMetrics) {
    (self.maxCount, self.maxBytes) = (maxCount, maxBytes)
    (refused, waiting) = (metrics.hubRefused, metrics.hubRequests)
  }

  /// Calls `body` as one of the requests that use the part.
  ///
  /// - Parameter reason: Why the group is left alone, if it is.
  /// - Throws: ``Problem`` `busy` if there are too many requests, or if the group fails; the errors
  ///   of `body`.
  func run<Result: Sendable>(
    _ part: Part, byteCount: Int, reason: @autoclosure () -> HubObstacle = .silent,
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try enter(part, byteCount)
    defer { leave(part, byteCount) }
    try begin(part, reason())
    do {
      let result = try await body()
      end(part, isFailure: false)
      return result
    } catch {
      end(part, isFailure: error.ofHubDatabase?.isOfDatabase ?? false)
      throw error
    }
  }

  private func enter(_ part: Part, _ byteCount: Int) throws(Problem) {
    let hasRoom = parts.withLock { parts in
      var state = parts[part] ?? State()
      guard state.count < maxCount, state.byteCount + byteCount <= maxBytes else { return false }
      state.count += 1
      state.byteCount += byteCount
      parts[part] = state
      waiting.record(parts.values.reduce(0) { $0 + $1.count })
      return true
    }
    guard !hasRoom else { return }
    refused.increment()
    throw .busy("\(maxCount) requests or \(maxBytes) bytes wait for the database")
  }

  private func leave(_ part: Part, _ byteCount: Int) {
    parts.withLock { parts in
      parts[part]?.count -= 1
      parts[part]?.byteCount -= byteCount
      waiting.record(parts.values.reduce(0) { $0 + $1.count })
    }
  }

  private func begin(
    _ part: Part, _ reason: @autoclosure () -> HubObstacle
  ) throws(Problem) {
    guard let wait = parts.withLock({ $0[part]?.breaker.begin(at: .now) }) else { return }
    refused.increment()
    throw .busy(reason().rawValue, after: wait)
  }

  private func end(_ part: Part, isFailure: Bool) {
    // One group that fails says nothing about the others.
    guard part != .allGroups else { return }
    parts.withLock { $0[part]?.breaker.end(isFailure: isFailure, at: .now) }
  }
}

#endif
