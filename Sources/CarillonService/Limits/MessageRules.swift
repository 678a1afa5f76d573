#if Service
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Puts ``MessageRules`` into a connection, below the types that have no version of HTTP.
package final class MessageRulesInstaller: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = Any

  package init() {}

  package func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(MessageRules(), position: .before(codec))
    } catch {
      context.fireErrorCaught(error)
      context.close(promise: nil)
    }
  }
}

/// Follows the rules of HTTP for clients that send HEAD, expect 100, or speak HTTP/1.0.
///
/// - An answer to HEAD has no body, and a length only if it is known.
/// - A client that sends `Expect: 100-continue` is asked for the body, in turn with the answers to
///   the requests before.
/// - An answer with `Connection: close` ends with the connection.
/// - An answer to HTTP/1.0 is never chunked. Without a length it ends with the connection.
/// - A request of HTTP/1.0 may lack a host, as the probes of some load balancers do. It is for the
///   address that it came to.
private final class MessageRules: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// A request whose answer has not ended.
  private struct Asked {
    let isHead: Bool
    let isOld: Bool
    let keepsAlive: Bool
    let expectsContinue: Bool
    /// Whether the end of the answer is left out, since it would be written as a chunk.
    var leavesOutEnd = false
    /// Whether the answer ends with the connection.
    var isLast = false

    init(_ head: HTTPRequestHead) {
      isHead = head.method == .HEAD
      isOld = head.version.major == 1 && head.version.minor == 0
      keepsAlive = head.isKeepAlive
      let expected = head.headers[canonicalForm: "expect"].map { $0.lowercased() }
      expectsContinue = !isOld && expected == ["100-continue"]
    }
  }

  private var asked = CircularBuffer<Asked>()

  /// A part that writes nothing, and keeps the order of the promises.
  private static var emptyBody: NIOAny {
    NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer())))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    let one = Asked(head)
    asked.append(one)
    if asked.count == 1 { askForBody(context) }
    if one.isOld, !head.headers.contains(name: "host"), let host = context.localAddress?.host {
      head.headers.add(name: "host", value: host)
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where !head.status.isInformational && !asked.isEmpty:
      frame(&head)
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body where asked.first?.isHead == true:
      // Problems are answered with a body, whatever the method.
      context.write(Self.emptyBody, promise: promise)
    case .end where !asked.isEmpty:
      end(context, data, promise)
    default:
      context.write(data, promise: promise)
    }
  }

  /// Writes the interim answer that the first request waits for, if it waits for one.
  private func askForBody(_ context: ChannelHandlerContext) {
    guard asked.first?.expectsContinue == true else { return }
    let head = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  /// Sets the fields of an answer's head that say where it ends.
  private func frame(_ head: inout HTTPResponseHead) {
    var one = asked[asked.startIndex]
    let lengths = head.headers[canonicalForm: "content-length"]
    if one.isHead, lengths.isEmpty || lengths == ["0"] {
      head.headers.remove(name: "content-length")
      one.leavesOutEnd = true
    }
    if head.headers[canonicalForm: "connection"] == ["close"] { one.isLast = true }
    if one.isOld {
      head.version = .http1_0
      head.headers.remove(name: "transfer-encoding")
      one.isLast = !one.keepsAlive || (lengths.isEmpty && head.status.mayHaveBody)
      head.headers.replaceOrAdd(name: "connection", value: one.isLast ? "close" : "keep-alive")
    }
    asked[asked.startIndex] = one
  }

  private func end(
    _ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?
  ) {
    let one = asked.removeFirst()
    let last = one.leavesOutEnd ? Self.emptyBody : data
    guard one.isLast else {
      context.write(last, promise: promise)
      askForBody(context)
      return
    }
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(last, promise: written)
  }
}

extension SocketAddress {
  /// The address in the form of a field `Host`; nil if it is none of IP.
  fileprivate var host: String? {
    guard let ip = ipAddress, let port else { return nil }
    return ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)"
  }
}

extension HTTPResponseStatus {
  /// Whether an answer with the status has a body.
  fileprivate var mayHaveBody: Bool { self != .noContent && self != .notModified }

  fileprivate var isInformational: Bool { (100..<200).contains(code) }
}
#endif
