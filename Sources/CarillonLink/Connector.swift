#if Service
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

/// Connects to a service.
///
/// Each second, one more attempt is made while earlier ones are under way. So a lost packet delays
/// nothing for long, a connection over a slow network still succeeds, and a network that is back is
/// used within a second.
struct Connector: Sendable {
  let place: ServicePlace
  /// How long attempts are made.
  let patience: Duration
  /// Whether an attempt that is refused is repeated.
  let repeatsRefused: Bool
  private let trust: ServiceTrust?

  private static let pause = Duration.seconds(1)
  private static let attemptTimeout = TimeAmount.seconds(10)

  init(_ place: ServicePlace, patience: Duration, repeatsRefused: Bool) throws(LinkFailure) {
    (self.place, self.patience, self.repeatsRefused) = (place, patience, repeatsRefused)
    do {
      trust = place.isSecure ? try ServiceTrust(place) : nil
    } catch {
      throw .unreachable("TLS cannot be used on this system")
    }
  }

  /// Connects, calls `body`, and closes the connection.
  ///
  /// - Throws: ``LinkFailure`` if no connection can be made, or if the service is not recognized;
  ///   otherwise what `body` throws.
  func withConnection<Result: Sendable>(
    _ liveness: Liveness, _ body: (inout ServiceConnection) async throws -> Result
  ) async throws -> Result {
    let (channel, duration) = try await connect()
    do {
      try await liveness.apply(to: channel, connectedIn: duration)
      let wrapped = try await channel.eventLoop.submit {
        try NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>(
          wrappingChannelSynchronously: channel)
      }.get()
      return try await wrapped.executeThenClose { inbound, outbound in
        var connection = ServiceConnection(
          place: place, channel: channel, parts: inbound.makeAsyncIterator(), outbound: outbound)
        return try await body(&connection)
      }
    } catch {
      channel.close(promise: nil)
      try Task.checkCancellation()
      if let refusal = trust?.refusal { throw refusal }
      throw ConnectionEnd(error) ?? error
    }
  }

  // MARK: -

  private enum Step: Sendable {
    case start
    case end(Swift.Result<any Channel, any Error>, Duration)
  }

  /// Returns the first connection that is made, and how long that took.
  private func connect() async throws -> (any Channel, Duration) {
    let (steps, step) = AsyncStream.makeStream(of: Step.self)
    let ticks = Task {
      while !Task.isCancelled {
        step.yield(.start)
        try await Task.sleep(for: Self.pause)
      }
    }
    defer { ticks.cancel() }
    let deadline = ContinuousClock.now + patience
    var lastError: (any Error)?
    for await next in steps {
      switch next {
      case .start:
        guard ContinuousClock.now < deadline else {
          step.finish()
          throw failure(lastError)
        }
        attempt(step)
      case .end(.failure(let error), _):
        lastError = error
        guard repeatsRefused || !Self.isFinal(error) else {
          step.finish()
          throw failure(error)
        }
      case .end(.success(let channel), let duration):
        step.finish()
        // Attempts that succeeded at the same moment.
        for await case .end(.success(let other), _) in steps { other.close(promise: nil) }
        return (channel, duration)
      }
    }
    throw CancellationError()
  }

  private func attempt(_ step: AsyncStream<Step>.Continuation) {
    let start = ContinuousClock.now
    ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connectTimeout(Self.attemptTimeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [trust] channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try trust?.add(to: pipeline)
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandler(HTTP1ToHTTPClientCodec())
        }
      }
      .connect(host: place.host, port: place.port)
      .whenComplete { result in
        let end = step.yield(.end(result, start.duration(to: .now)))
        // Another attempt was faster.
        if case .terminated = end, case .success(let channel) = result {
          channel.close(promise: nil)
        }
      }
  }

  /// Whether another attempt would end the same way at once.
  private static func isFinal(_ error: any Error) -> Bool {
    guard let error = error as? NIOConnectionError else { return false }
    let errors = error.connectionErrors.map(\.error)
    return errors.allSatisfy { !($0 is ChannelError) }
  }

  private func failure(_ error: (any Error)?) -> LinkFailure {
    .unreachable("cannot connect to \(place.text): \(Self.reason(error))")
  }

  private static func reason(_ error: (any Error)?) -> String {
    switch error {
    case let error as IOError: return error.words
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.first { return reason(first.error) }
      if error.dnsAError != nil || error.dnsAAAAError != nil {
        return "the name \(error.host) cannot be resolved"
      }
      return "no address answers"
    default: return "it does not answer"
    }
  }
}

/// When the system gives a connection up because the other side no longer confirms what it gets.
struct Liveness: Sendable {
  /// Whether an idle connection is checked too.
  let checksIdle: Bool

  /// The least time; more on a network on which connecting took long.
  private static let least = Duration.seconds(2)

  func apply(to channel: any Channel, connectedIn duration: Duration) async throws {
    #if os(Linux)
    let limit = max(Self.least, duration * 4)
    let seconds = max(1, Int((limit / .seconds(2)).rounded(.up)))
    var options = [(TCP_USER_TIMEOUT, Int(limit / .milliseconds(1)))]
    if checksIdle {
      options += [(TCP_KEEPIDLE, seconds), (TCP_KEEPINTVL, seconds), (TCP_KEEPCNT, 2)]
      try await channel.setOption(.socketOption(.so_keepalive), value: 1).get()
    }
    for (name, value) in options {
      try await channel.setOption(
        .tcpOption(NIOBSDSocket.Option(rawValue: name)), value: SocketOptionValue(value)
      ).get()
    }
    #endif
  }
}
#endif
