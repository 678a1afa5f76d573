#if Service
import Carillon
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

/// The route that answers one message of a sync.
///
/// Nothing is kept between messages.
struct SyncRoutes<Context: RequestContext> {
  let routes: StoreRoutes<Context>

  /// The maximum number of bytes of a message.
  private static var maxBytes: Int { 60_000 }

  func add(to group: some RouterMethods<Context>) {
    group.post("sync") { request, context in
      let message = try await request.bytes(atMost: Self.maxBytes)
      let store = try await routes.source(request, context)
      let answer: [UInt8]
      do {
        answer = try await store.answer(to: message)
      } catch {
        routes.metrics.syncErrors.increment()
        throw error
      }
      routes.metrics.syncMessages.increment()
      routes.metrics.synced(with: routes.peer(context))
      routes.metrics.syncBytesReceived.increment(by: message.count)
      routes.metrics.syncBytesSent.increment(by: answer.count)
      return Response(
        status: .ok,
        headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"],
        body: .init(byteBuffer: ByteBuffer(bytes: answer)))
    }
  }
}
#endif
