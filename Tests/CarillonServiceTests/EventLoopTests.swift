#if Service
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonService

@Suite("Event loops")
struct EventLoopTests {
  @Test("A request is answered on its connection's event loop, unless its route leaves it")
  func routesLeaveTheLoop() async throws {
    let router = Router(context: LoopContext.self)
    router.get("short") { _, context in "\(context.isOnLoop)" }
    let long = router.group("long").add(middleware: OffEventLoop())
    long.get { _, context in "\(context.isOnLoop)" }
    long.get("stream") { _, context in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "\(context.isOnLoop)"))
          try await writer.finish(nil)
        })
    }
    let application = Application(
      router: router,
      server: HTTPServerBuilder { LoopChannel(HTTP1Channel(responder: $0)) })
    try await application.test(.live) { client in
      var places: [String] = []
      for path in ["/short", "/long", "/long/stream", "/short"] {
        places.append(
          try await client.execute(uri: path, method: .get) { String(buffer: $0.body) })
      }
      #expect(places == ["true", "false", "false", "true"])
    }
  }
}

/// A request, with the event loop of its connection.
private struct LoopContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  private let loop: any EventLoop

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    loop = source.channel.eventLoop
  }

  /// Whether the caller runs on the loop.
  var isOnLoop: Bool { loop.inEventLoop }
}
#endif
