#if Service
import CarillonDocuments
import HTTPTypes
import Hummingbird
import Synchronization

/// The bodies that are being received: up to a number of bytes, and one on each connection.
///
/// A client has at most half of either.
final class ReceivedBodies: Sendable {
  private let shares: Mutex<Shares>
  private let connections: Mutex<Shares>

  init(_ limits: ServiceLimits) {
    shares = Mutex(Shares(maxCount: limits.allBodiesBytes))
    connections = Mutex(Shares(maxCount: limits.connections))
  }

  /// Calls a closure with the body of a request, whose bytes count until the closure returns.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of the body.
  ///   - credential: The credential or, at a hub, the person that sends it; nil for the owner.
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
    let bytes = try await receiving(for: credential) {
      try await request.bytes(atMost: min(limit, most)) { count throws(Problem) in
        try take(count, for: credential)
        taken += count
      }
    }
    return try await body(bytes)
  }

  /// Counts one of a credential's connections until a closure has received its body.
  private func receiving(
    for credential: String?, _ body: () async throws -> [UInt8]
  ) async throws -> [UInt8] {
    do throws(Shares.Refusal) {
      try connections.withLock { shares throws(Shares.Refusal) in
        try shares.take(1, for: credential)
      }
    } catch {
      throw Problem(
        .tooManyRequests, code: "tooMany",
        detail: "bodies arrive on \(error.limit.counted("connection")) of one client, which is the "
          + "limit", hint: "wait for the other requests, or set the limit max-connections",
        retryAfter: 1)
    }
    defer { connections.withLock { $0.give(1, of: credential) } }
    return try await body()
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
          detail: "the bodies of one client have \(limit) bytes, which is the limit",
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
