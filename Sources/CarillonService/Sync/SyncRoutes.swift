#if Service
import Carillon
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

/// `/v1/sync`: answers one message of a sync, and reports when there is something to sync.
///
/// Nothing is kept between messages.
struct SyncRoutes<Context: RequestContext> {
  let routes: StoreRoutes<Context>

  /// The maximum number of bytes of a message.
  static var maxBytes: Int { 60_000 }

  func add(to group: some RouterMethods<Context>) {
    group.post("sync") { request, context in
      let store = try await routes.source(request, context)
      let (message, answer) = try await routes.bodies.with(
        request, atMost: Self.maxBytes, for: routes.credential(context)
      ) { message in
        do {
          guard SyncDriver.isAudit(message) else {
            return (message, try await store.answer(to: message))
          }
          let answer = try await routes.reads.withTurn(
            of: .init(routes.credential(context), store), on: routes.channel(context)
          ) { try await store.answer(to: message) }
          return (message, answer)
        } catch {
          routes.metrics.syncErrors.increment()
          throw error
        }
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
    group.get("sync") { request, context in
      let store = try await routes.source(request, context)
      let news = SyncNews(store, heartbeat: routes.limits.heartbeat)
      guard request.headers[values: .accept].contains("text/event-stream") else {
        return Answer(news.document(at: try store.lastPosition())).response(
          from: request, context: context)
      }
      return try EventStream(
        content: news, source: store, heartbeat: routes.limits.heartbeat,
        stream: try routes.streams.open(for: routes.credential(context))
      ).response(to: request)
    }
  }
}
#endif
