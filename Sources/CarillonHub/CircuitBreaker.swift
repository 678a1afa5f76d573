#if Service
package import CarillonModel

/// Stops asking for what fails again and again, and tries it from time to time.
package struct CircuitBreaker: Sendable {
  private var failureCount = 0
  /// When the next attempt is allowed; nil if all are.
  private var nextAttempt: ContinuousClock.Instant?

  /// The number of failures in a row after which most calls are refused.
  private static let maxFailures = 5
  /// The time between two attempts then.
  private static let pause = Duration.seconds(1)

  package init() {}

  /// Asks whether a call may begin.
  ///
  /// - Returns: Nil, or the time until one may.
  package mutating func begin(at now: ContinuousClock.Instant) -> Duration? {
    guard let next = nextAttempt else { return nil }
    guard now >= next else { return now.duration(to: next) }
    // This one tries; the others wait for its result.
    nextAttempt = now + Self.pause
    return nil
  }

  /// Notes how a call ended.
  package mutating func end(isFailure: Bool, at now: ContinuousClock.Instant) {
    guard isFailure else {
      (failureCount, nextAttempt) = (0, nil)
      return
    }
    failureCount += 1
    if failureCount >= Self.maxFailures { nextAttempt = now + Self.pause }
  }
}

extension LogError {
  /// Whether it says that the database does not work, and nothing about the request.
  package var isOfDatabase: Bool {
    guard obstacle?.isFoundByLook != false, !isMove else { return false }
    return [.busy, .unknownOutcome, .io].contains(code)
  }
}
#endif
