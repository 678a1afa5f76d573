#if Service
import CarillonDocuments
import HTTPTypes
package import NIOCore
import NIOHTTPTypes
import Synchronization

/// The connections that are open.
///
/// Those beyond a maximum number are answered with 429 and closed, and so are those on which no
/// request begins. A connection that is only waited for would hold a file descriptor, and without
/// descriptors nobody is served.
package final class OpenConnections: Sendable {
  private let limits: ServiceLimits
  private let counts = Mutex(Counts())

  private struct Counts {
    var accepted = 0
    var refused = 0
    var byAddress: [ClientAddress: Int] = [:]
  }

  /// How many connections at a time are kept open until their refusal is read.
  package static let maxRefused = 64

  package init(_ limits: ServiceLimits) {
    self.limits = limits
  }

  /// Returns the handler for a new connection.
  package func handler() -> any RemovableChannelHandler { ConnectionLimit(self) }

  /// What becomes of a connection.
  fileprivate enum Place {
    case accepted
    /// Answered with a problem; nil if there is no room for that either.
    case refused(Problem?)
  }

  /// The time within which a request begins, after which a connection is closed.
  fileprivate func patience(_ place: Place) -> TimeAmount {
    if case .accepted = place { TimeAmount(limits.firstRequest) } else { .seconds(2) }
  }

  fileprivate func open(_ client: ClientAddress) -> Place {
    counts.withLock { counts in
      let isCrowded =
        !client.isLoopback
        && counts.byAddress[client, default: 0] >= limits.connectionsPerAddress
      guard counts.accepted >= limits.connections || isCrowded else {
        counts.accepted += 1
        counts.byAddress[client, default: 0] += 1
        return .accepted
      }
      counts.refused += 1
      guard counts.refused <= Self.maxRefused else { return .refused(nil) }
      return .refused(isCrowded ? addressProblem : totalProblem)
    }
  }

  fileprivate func close(_ client: ClientAddress, _ place: Place) {
    counts.withLock { counts in
      guard case .accepted = place else {
        counts.refused -= 1
        return
      }
      counts.accepted -= 1
      let left = counts.byAddress[client, default: 1] - 1
      counts.byAddress[client] = left > 0 ? left : nil
    }
  }

  private var totalProblem: Problem {
    Problem(
      .tooManyRequests, code: "tooMany",
      detail: "the limit of \(limits.connections.counted("connection")) is reached",
      hint: "close a connection, or set the limit max-connections", retryAfter: 5)
  }

  private var addressProblem: Problem {
    Problem(
      .tooManyRequests, code: "tooMany",
      detail: "the limit of \(limits.connectionsPerAddress.counted("connection")) from an address "
        + "is reached",
      hint: "close a connection, or set the limit max-connections-per-address", retryAfter: 5)
  }
}

/// Counts a connection, and closes it if it has no place, or if no request begins.
private final class ConnectionLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let connections: OpenConnections
  private var client = ClientAddress.unknown
  private var place = OpenConnections.Place.refused(nil)
  private var timer: Scheduled<Void>?

  init(_ connections: OpenConnections) {
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    client = context.channel.remoteAddress?.ipAddress.flatMap(ClientAddress.init) ?? .unknown
    place = connections.open(client)
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: connections.patience(place)) {
      context.close(promise: nil)
    }
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    if case .refused(nil) = place { context.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    connections.close(client, place)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .refused(let problem) = place else {
      timer?.cancel()
      timer = nil
      return context.fireChannelRead(data)
    }
    guard case .head = unwrapInboundIn(data), let problem else { return }
    let (head, body) = problem.message
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }
}
#endif
