#if Service
import Carillon
import HTTPTypes
import Hummingbird
import ServiceLifecycle

/// The content of a stream of server-sent events.
protocol EventStreamContent: Sendable {
  /// Appends what is new since the last call; called at the start, whenever the log may have grown,
  /// and with each sign of life.
  mutating func append(to writer: inout StreamWriter) async throws
}

/// What a stream of server-sent events follows.
protocol EventStreamSource: Sendable {
  /// Calls `body` whenever there may be something new, until there can be nothing more.
  func follow(_ body: @escaping @Sendable () -> Void) async
  /// Throws if the source has failed, so that there is nothing to follow.
  func checkFiles() throws
}

extension Store: EventStreamSource {
  func follow(_ body: @escaping @Sendable () -> Void) async {
    for await _ in changes() { body() }
  }
}

/// An answer that goes on until the client, the source or the service ends.
struct EventStream<Content: EventStreamContent> {
  let content: Content
  let source: any EventStreamSource
  /// The longest time between two signs of life, which also show this side that the client is gone.
  let heartbeat: Duration
  /// Released at the end.
  let stream: OpenStreams.Stream

  /// Returns the response to a request, with which its connection ends.
  ///
  /// - Throws: ``Problem`` `tooLarge` if the request has a body: nobody would read it; the error
  ///   of a source that has failed.
  func response(to request: Request) throws -> Response {
    // The end of the request is not read here: what notices the end of the client waits for it.
    guard request.headers[.transferEncoding] == nil,
      request.headers[.contentLength] ?? "0" == "0"
    else { throw Problem.tooLarge(limit: 0) }
    try source.checkFiles()
    var headers: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-store",
      // Asks proxies not to collect the answer.
      .unchecked("X-Accel-Buffering"): "no",
    ]
    // What the client sends meanwhile is read, to notice its end, and would be lost.
    if request.method != .head { headers[.connection] = "close" }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        var out = StreamWriter(writer)
        let (ticks, tick) = AsyncStream.makeStream(
          of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await withGracefulShutdownHandler {
            try await write(to: &out, ticks, tick)
          } onGracefulShutdown: {
            tick.finish()
          }
        } onInboundClosed: {
          tick.finish()
        }
        try await out.finish()
      })
  }

  private func write(
    to writer: inout StreamWriter, _ ticks: AsyncStream<Void>,
    _ tick: AsyncStream<Void>.Continuation
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [source] in
        await source.follow { tick.yield() }
        tick.finish()
      }
      // Before the client expects it, since a write takes time.
      let pause = heartbeat * 0.9
      var nextSign = ContinuousClock.now + pause
      group.addTask { [start = nextSign] in
        var next = start
        while true {
          try await Task.sleep(until: next)
          tick.yield()
          next += pause
        }
      }
      var content = content
      // At once, so that the client knows that the stream is open.
      try await writer.append(": open\nretry: 1000\n\n")
      try await writer.flush()
      for await _ in ticks {
        try await content.append(to: &writer)
        if nextSign <= .now {
          // Also after news: the time to the next sign would be longer.
          try await writer.append(":\n\n")
          while nextSign <= .now { nextSign += pause }
        }
        try await writer.flush()
      }
      group.cancelAll()
    }
    try source.checkFiles()
    withExtendedLifetime(stream) {}
  }
}
#endif
