#if Service
import CarillonHub
import CarillonModel
import Metrics
import Synchronization

/// The requests of a hub that use its database: a bounded number of them, with a bounded number of
/// bytes, for each part of the database.
///
/// A part that fails repeatedly is left alone for a time, and its requests are refused at once.
final class HubQueue: Sendable {
  /// A part of the database that can fail alone.
  enum Part: Hashable, Sendable {
    /// One group of servers.
    case group(String)
    /// All groups, which are asked for a device whose group is not known.
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
  /// - Parameter reason: Why the part is left alone, if it is.
  /// - Throws: ``Problem`` `busy` if there are too many requests, or if the part fails; the errors
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
      end(part, isFailure: error.isOfDatabase)
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
    parts.withLock { $0[part]?.breaker.end(isFailure: isFailure, at: .now) }
  }
}

/// Stops asking for what fails again and again, and tries it from time to time.
struct CircuitBreaker {
  private var failureCount = 0
  /// When the next attempt is allowed; nil if all are.
  private var nextAttempt: ContinuousClock.Instant?

  /// The number of failures in a row after which most calls are refused.
  private static let maxFailures = 5
  /// The time between two attempts then.
  private static let pause = Duration.seconds(1)

  /// Asks whether a call may begin.
  ///
  /// - Returns: Nil, or the time until one may.
  mutating func begin(at now: ContinuousClock.Instant) -> Duration? {
    guard let next = nextAttempt else { return nil }
    guard now >= next else { return now.duration(to: next) }
    // This one tries; the others wait for its result.
    nextAttempt = now + Self.pause
    return nil
  }

  /// Notes how a call ended.
  mutating func end(isFailure: Bool, at now: ContinuousClock.Instant) {
    guard isFailure else {
      (failureCount, nextAttempt) = (0, nil)
      return
    }
    failureCount += 1
    if failureCount >= Self.maxFailures { nextAttempt = now + Self.pause }
  }
}

extension Error {
  /// Whether it says that the database does not work, and nothing about the request.
  fileprivate var isOfDatabase: Bool {
    guard let error = ofHubDatabase, error.obstacle?.isFoundByLook != false else { return false }
    return [.busy, .unknownOutcome, .io].contains(error.code)
  }
}
#endif
