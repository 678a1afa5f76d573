#if Service
import HTTPTypes
package import NIOCore
import Synchronization

/// Tells the requests of a connection when their client is gone.
///
/// A client that ends its half of the connection counts as gone, too: that is how the end of the
/// program looks from here.
package final class ClientConnection: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  package typealias InboundIn = Any

  private struct State {
    var isOver = false
    var waiting: Set<AsyncStream<Void>.Continuation> = []
  }

  private let state = Mutex(State())

  package init() {}

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { end() }
    context.fireUserInboundEventTriggered(event)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  // MARK: - What waits

  /// Calls a closure, and cancels it when the client goes.
  ///
  /// - Throws: ``Problem`` `cancelled` if the client went before the closure returned; the errors
  ///   of `body`.
  func whileConnected<Result: Sendable>(
    _ body: @Sendable @escaping () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        await self.waitForEnd()
        return nil
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() ?? nil else { throw Problem.clientEnded }
      return result
    }
  }

  /// Cancels what the client waits for.
  func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      return state.waiting
    }
    for one in waiting { one.finish() }
  }

  /// Returns when the client is gone, or when the task is cancelled.
  private func waitForEnd() async {
    let (end, signal) = AsyncStream.makeStream(of: Void.self)
    let isOver = state.withLock { state in
      state.waiting.insert(signal)
      return state.isOver
    }
    if isOver { signal.finish() }
    for await _ in end {}
    _ = state.withLock { $0.waiting.remove(signal) }
  }
}

extension Problem {
  /// Only a client that ended its half of the connection can read this.
  fileprivate static let clientEnded = Problem(
    .init(code: 499, reasonPhrase: "Client Closed Request"), code: "cancelled",
    detail: "the client ended its half of the connection before the answer",
    hint: "keep it open until the answer")
}

extension Channel {
  /// What tells when the client is gone; nil for a channel without it.
  ///
  /// - Throws: ``Problem`` `cancelled` if the client is gone already.
  var client: ClientConnection? {
    get async throws(Problem) {
      if let client = try? await pipeline.handler(type: ClientConnection.self).get() {
        return client
      }
      // A closed channel has no handlers. Requests that arrived before its end are still read.
      guard isActive else { throw .clientEnded }
      return nil
    }
  }
}
#endif
