#if Service
import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// Asks the service for a sign of life over a connection, as a client does.
struct SelfCheck: Sendable {
  private let listen: ListenAddress
  private let tls: NIOSSLContext?
  private let logger: Logger

  init(_ listen: ListenAddress, isSecure: Bool, _ logger: Logger) throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    // The certificate names other hosts than this address.
    configuration.certificateVerification = .none
    tls = isSecure ? try NIOSSLContext(configuration: configuration) : nil
    (self.listen, self.logger) = (listen, logger)
  }

  /// Whether the service answers a request, be it with a refusal.
  func isAnswered(at port: Int) async -> Bool {
    do {
      let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: listen.nearHost, port: port) { [tls] channel in
          channel.eventLoop.makeCompletedFuture {
            if let tls {
              try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: nil))
            }
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
              wrappingChannelSynchronously: channel)
          }
        }
      return try await channel.executeThenClose { input, output in
        try await output.write(
          ByteBuffer(
            string: "GET /livez HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n"))
        var answer = ByteBuffer()
        for try await piece in input {
          answer.writeImmutableBuffer(piece)
          // Up to the first digit of the status.
          guard let start = answer.getString(at: 0, length: 10) else { continue }
          return start.hasPrefix("HTTP/1.1 ") && !start.hasSuffix("5")
        }
        return false
      }
    } catch {
      logger.warning(
        "the service does not answer its own request", metadata: ["error": "\(error)"])
      return false
    }
  }
}
#endif
