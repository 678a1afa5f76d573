#if Service
package import NIOCore
package import NIOHTTPTypes

/// Ends a connection whose request was answered before its body ended.
///
/// Otherwise the rest of the body, which may never end, would have to be read before the next
/// request. The client gets two seconds to read the answer.
package final class UnreadBody: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart

  /// Whether the body of the last request is being received.
  private var isReceiving = false
  /// The number of requests whose answers have not ended.
  private var waitingCount = 0
  /// Whether the request was answered before its body ended.
  private var isEnding = false

  package init() {}

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      isReceiving = true
      waitingCount += 1
    case .body: break
    case .end: isReceiving = false
    }
    if isEnding { context.read() } else { context.fireChannelRead(data) }
  }

  package func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    context.write(data, promise: promise)
    guard case .end = unwrapOutboundIn(data) else { return }
    waitingCount -= 1
    // An answer to an earlier request says nothing about the body of the last one.
    guard isReceiving, waitingCount <= 0 else { return }
    isEnding = true
    context.flush()
    context.close(mode: .output, promise: nil)
    context.read()
    context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(2)) {
      context.close(promise: nil)
    }
  }
}
#endif
