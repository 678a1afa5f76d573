#if Service
import CarillonDocuments
import HTTPTypes
package import NIOCore
import NIOHTTPTypes
import Synchronization

/// The connections that are open.
///
/// Requests on those beyond a maximum number are answered with 429.
package final class OpenConnections: Sendable {
  fileprivate let maxCount: Int
  private let count = Atomic(0)

  package init(maxCount: Int) {
    self.maxCount = maxCount
  }

  /// Returns the handler for a new connection.
  package func handler() -> any RemovableChannelHandler { ConnectionLimit(self) }

  fileprivate func add(_ change: Int) -> Int { count.add(change, ordering: .relaxed).newValue }
}

/// Counts a connection, and answers its first request if there are too many connections.
///
/// An answer is possible only here: a connection that is not accepted waits without one.
private final class ConnectionLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let connections: OpenConnections
  private var isRefused = false

  init(_ connections: OpenConnections) {
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    isRefused = connections.add(1) > connections.maxCount
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    _ = connections.add(-1)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isRefused else { return context.fireChannelRead(data) }
    guard case .head = unwrapInboundIn(data) else { return }
    let problem = Problem(
      .tooManyRequests, code: "tooMany",
      detail: "the limit of \(connections.maxCount.counted("connection")) is reached",
      hint: "close a connection, or set the limit max-connections", retryAfter: 5)
    let (head, body) = problem.message
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }
}
#endif
