#if Service
import HTTPTypes
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// Ends a connection whose last request is not read to its end: it was answered before, or it
/// breaks the protocol.
///
/// Otherwise the rest of a body, which may never end, would have to be read before the next
/// request; and after a break of the protocol, nobody knows where the next request begins. The
/// client gets two seconds to read the answer.
package final class UnreadRequest: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let line = RequestLine()
  /// Whether the body of the last request is being received.
  private var isReceiving = false
  /// The number of requests whose answers have not ended.
  private var waitingCount = 0
  /// Whether nothing more is read.
  private var isEnding = false
  /// How the last request breaks the protocol; nil if it does not.
  private var problem: Problem?

  package init() {}

  package func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(line, position: .before(decoder))
    } catch {
      context.fireErrorCaught(error)
      context.close(promise: nil)
    }
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      isReceiving = true
      waitingCount += 1
    case .body: break
    case .end:
      isReceiving = false
      line.begin()
    }
    if isEnding { context.read() } else { context.fireChannelRead(data) }
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Each piece that follows what breaks the protocol is an error.
    if isEnding { return context.read() }
    if problem == nil, let error = error as? HTTPParserError {
      problem = Problem(error, isInLine: !line.hasEnded)
    }
    context.fireErrorCaught(error)
  }

  package func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    let part = unwrapOutboundIn(data)
    if case .head = part, !isEnding, waitingCount <= 0, let problem {
      // The server's own answer, which has no body.
      var (head, body) = problem.message
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
      context.write(wrapOutboundOut(.body(body)), promise: nil)
      return
    }
    context.write(data, promise: promise)
    guard case .end = part else { return }
    waitingCount -= 1
    // An answer to an earlier request says nothing about the last one.
    guard isReceiving && waitingCount <= 0 || problem != nil && waitingCount < 0 else { return }
    end(context)
  }

  private func end(_ context: ChannelHandlerContext) {
    guard !isEnding else { return }
    isEnding = true
    context.flush()
    context.close(mode: .output, promise: nil)
    context.read()
    context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(2)) {
      context.close(promise: nil)
    }
  }
}

/// Finds out whether the line with which a request begins has ended, so that a path that is too
/// long can be told from a field that is.
private final class RequestLine: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private(set) var hasEnded = false
  /// What is left of the piece that is being read.
  private var piece = ByteBuffer()

  /// A request ended, and the next one begins, maybe in the same piece.
  func begin() {
    piece.skipHead()
    hasEnded = piece.hasLineEnd
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    piece = unwrapInboundIn(data)
    if !hasEnded { hasEnded = piece.hasLineEnd }
    context.fireChannelRead(data)
    // Otherwise the memory could not be used for the next piece.
    piece = ByteBuffer()
  }
}

extension ByteBuffer {
  fileprivate var hasLineEnd: Bool { readableBytesView.contains(UInt8(ascii: "\n")) }

  /// Skips everything up to the next blank line; nothing if there is none.
  fileprivate mutating func skipHead() {
    let count = withUnsafeReadableBytes { bytes in
      var isBlank = false
      for index in bytes.indices {
        switch bytes[index] {
        case UInt8(ascii: "\n"):
          if isBlank { return index + 1 }
          isBlank = true
        case UInt8(ascii: "\r"): break
        default: isBlank = false
        }
      }
      return 0
    }
    moveReaderIndex(forwardBy: count)
  }
}

extension Problem {
  /// Creates the problem of a request that cannot be read.
  ///
  /// - Parameter isInLine: Whether its first line has not ended.
  fileprivate init(_ error: HTTPParserError, isInLine: Bool) {
    switch error {
    case .headerOverflow where isInLine:
      self.init(
        .uriTooLong, code: "uriTooLong", detail: "the path and the query are too long",
        hint: "send what is long in the body")
    case .headerOverflow:
      self.init(
        .requestHeaderFieldsTooLarge, code: "headersTooLarge",
        detail: "the request has too many headers, or they are too long",
        hint: "send fewer or shorter headers")
    case .invalidVersion, .paused:
      // The parser pauses after the first line of HTTP/2.
      self.init(
        .init(code: 505, reasonPhrase: "HTTP Version Not Supported"), code: "unknownVersion",
        detail: "the version of HTTP is not known", hint: "use HTTP/1.1")
    default:
      self.init(
        .badRequest, code: "malformed", detail: "the request does not follow HTTP/1.1",
        hint: "a service without TLS is reached at http://")
    }
  }
}
#endif
