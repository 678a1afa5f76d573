#if Service
package import NIOCore

/// Closes a connection whose client does not read.
///
/// An answer is written only as fast as the client reads: at most 64 KiB wait in memory. If the
/// client has not read half of them within the limit, the connection ends. The client goes on with
/// a new one, from the last position that it saw.
package final class StallLimit: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = Any

  private let limit: TimeAmount
  private let onStall: @Sendable () -> Void
  private var timer: Scheduled<Void>?

  /// - Parameter onStall: Called when a connection is closed for this reason.
  package init(_ limit: Duration, onStall: @escaping @Sendable () -> Void) {
    self.limit = TimeAmount(limit)
    self.onStall = onStall
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    if !context.channel.isWritable {
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [onStall] in
        onStall()
        context.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    context.fireChannelInactive()
  }
}
#endif
