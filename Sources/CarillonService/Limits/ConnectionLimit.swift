#if Service
import CarillonDocuments
import HTTPTypes
package import NIOCore
import NIOHTTPTypes
import Synchronization

/// The connections that are open.
///
/// One on which no request begins is closed after a time. One on which no request is under way is
/// closed if its place is needed: those first on which none ever began, and then the one that has
/// rested longest. Those beyond a maximum number are answered with 429 and closed. A connection
/// that is only waited for would hold a file descriptor, and without descriptors nobody is served.
package final class OpenConnections: Sendable {
  private let limits: ServiceLimits
  private let counts = Mutex(Counts())

  /// A connection on which no request is under way.
  fileprivate struct Resting {
    let client: ClientAddress
    /// Whether it had a request.
    let isUsed: Bool
    let close: @Sendable () -> Void
  }

  fileprivate struct Counts {
    var accepted = 0
    var refused = 0
    var byAddress: [ClientAddress: Int] = [:]
    /// Those that rest and have a place, by the order in which their rest began.
    var resting: [Int: Resting] = [:]
    var nextNumber = 0
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
    /// Has a place, and rests or rested last with this number.
    case accepted(Int)
    /// Answered with a problem; nil if there is no room for that either.
    case refused(Problem?)
  }

  /// The time within which a request begins, after which a connection is closed.
  fileprivate func patience(_ place: Place) -> TimeAmount {
    if case .accepted = place { TimeAmount(limits.firstRequest) } else { .seconds(2) }
  }

  /// - Parameter close: Closes the connection if its place is needed while it rests.
  fileprivate func open(
    _ client: ClientAddress, close: @Sendable @escaping () -> Void
  ) -> Place {
    let (place, evicted) = counts.withLock { counts in
      let isCrowded =
        !client.isLoopback
        && counts.byAddress[client, default: 0] >= limits.connectionsPerAddress
      var evicted: Resting?
      if counts.accepted >= limits.connections || isCrowded {
        evicted = counts.evict { !isCrowded || $0.client == client }
        guard evicted != nil else {
          counts.refused += 1
          guard counts.refused <= Self.maxRefused else { return (Place.refused(nil), evicted) }
          return (.refused(isCrowded ? addressProblem : totalProblem), evicted)
        }
      }
      let resting = Resting(client: client, isUsed: false, close: close)
      return (.accepted(counts.accept(resting)), evicted)
    }
    evicted?.close()
    return place
  }

  /// Keeps the place of a connection on which a request begins; returns false if it lost it before.
  fileprivate func begin(_ number: Int) -> Bool {
    counts.withLock { $0.resting.removeValue(forKey: number) != nil }
  }

  /// Lets a connection rest whose requests are answered, and returns its place.
  fileprivate func rest(
    _ client: ClientAddress, close: @Sendable @escaping () -> Void
  ) -> Place {
    counts.withLock { .accepted($0.rest(Resting(client: client, isUsed: true, close: close))) }
  }

  fileprivate func close(_ client: ClientAddress, _ place: Place, isResting: Bool) {
    counts.withLock { counts in
      guard case .accepted(let number) = place else {
        counts.refused -= 1
        return
      }
      // One that lost its place is not counted any more.
      guard counts.resting.removeValue(forKey: number) != nil || !isResting else { return }
      counts.leave(client)
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

extension OpenConnections.Counts {
  /// Counts a new connection, and returns its number.
  fileprivate mutating func accept(_ one: OpenConnections.Resting) -> Int {
    accepted += 1
    byAddress[one.client, default: 0] += 1
    return rest(one)
  }

  fileprivate mutating func rest(_ one: OpenConnections.Resting) -> Int {
    nextNumber += 1
    resting[nextNumber] = one
    return nextNumber
  }

  /// Takes the place of the connection that fits and has rested longest, and returns it.
  ///
  /// - Complexity: O(resting connections).
  fileprivate mutating func evict(
    where fits: (OpenConnections.Resting) -> Bool
  ) -> OpenConnections.Resting? {
    let found = resting.filter { fits($0.value) }
    let number = found.filter { !$0.value.isUsed }.keys.min() ?? found.keys.min()
    guard let number else { return nil }
    let evicted = resting.removeValue(forKey: number)
    if let evicted { leave(evicted.client) }
    return evicted
  }

  fileprivate mutating func leave(_ client: ClientAddress) {
    accepted -= 1
    let left = byAddress[client, default: 1] - 1
    byAddress[client] = left > 0 ? left : nil
  }
}

/// Counts a connection, and closes it if it has no place, or if no request begins.
private final class ConnectionLimit: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let connections: OpenConnections
  private var client = ClientAddress.unknown
  private var place = OpenConnections.Place.refused(nil)
  private var timer: Scheduled<Void>?
  /// Closes the connection, from any thread.
  private var close: @Sendable () -> Void = {}
  /// The number of requests that have begun and are not answered.
  private var underWay = 0

  init(_ connections: OpenConnections) {
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    client = context.channel.remoteAddress?.ipAddress.flatMap(ClientAddress.init) ?? .unknown
    let channel = context.channel
    close = { channel.close(promise: nil) }
    place = connections.open(client, close: close)
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
    connections.close(client, place, isResting: underWay == 0)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .accepted(let number) = place {
      if case .head = unwrapInboundIn(data) {
        if underWay == 0 {
          guard connections.begin(number) else { return context.close(promise: nil) }
          timer?.cancel()
          timer = nil
        }
        underWay += 1
      }
      return context.fireChannelRead(data)
    }
    guard case .head = unwrapInboundIn(data), case .refused(let problem?) = place else { return }
    let (head, body) = problem.message
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data), underWay > 0 {
      underWay -= 1
      if underWay == 0 { place = connections.rest(client, close: close) }
    }
    context.write(data, promise: promise)
  }
}
#endif
