#if Service
import HTTPTypes
import Hummingbird
import Synchronization

/// The bodies that are being received, over all connections: up to a number of bytes, of which each
/// credential has at most half.
final class ReceivedBodies: Sendable {
  private let shares: Mutex<Shares>

  init(maxBytes: Int) {
    shares = Mutex(Shares(maxCount: maxBytes))
  }

  /// Calls a closure with the body of a request, whose bytes count until the closure returns.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of the body.
  ///   - credential: The credential that sends it; nil for the owner.
  /// - Throws: ``Problem``: those of ``Request/bytes(atMost:counting:)``; `busy` and `tooMany` if
  ///   other bodies leave no room; the errors of the closure.
  func with<Result>(
    _ request: Request, atMost limit: Int, for credential: String?,
    _ body: ([UInt8]) async throws -> Result
  ) async throws -> Result {
    var taken = 0
    defer { give(taken, of: credential) }
    // More than that could never be received.
    let most = shares.withLock { $0.most(for: credential) }
    let bytes = try await request.bytes(atMost: min(limit, most)) { count throws(Problem) in
      try take(count, for: credential)
      taken += count
    }
    return try await body(bytes)
  }

  private func take(_ count: Int, for credential: String?) throws(Problem) {
    do throws(Shares.Refusal) {
      try shares.withLock { shares throws(Shares.Refusal) in
        try shares.take(count, for: credential)
      }
    } catch {
      let hint = "wait for the other requests, or set the limit max-bodies"
      switch error {
      case .isFull(let limit):
        throw Problem(
          .serviceUnavailable, code: "busy",
          detail: "the bodies that are being received have \(limit) bytes, which is the limit",
          hint: hint, retryAfter: 1)
      case .hasShare(let limit):
        throw Problem(
          .tooManyRequests, code: "tooMany",
          detail: "the bodies of one device have \(limit) bytes, which is the limit",
          hint: hint, retryAfter: 1)
      }
    }
  }

  private func give(_ count: Int, of credential: String?) {
    guard count > 0 else { return }
    shares.withLock { $0.give(count, of: credential) }
  }
}
#endif
