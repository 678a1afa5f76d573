#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

/// `/v1/events`: the log, and batches that are appended to it.
struct EventRoutes<Context: RequestContext> {
  let routes: StoreRoutes<Context>

  func add(to group: some RouterMethods<Context>) {
    group.get("events") { request, context in
      try list(request, try await routes.source(request, context))
    }
    group.post("events") { request, context in
      do {
        let batch = try await EventBatch(request, limits: routes.limits)
        return try await append(batch, to: try await routes.source(request, context))
      } catch {
        routes.metrics.refused.increment()
        throw error
      }
    }
  }

  // MARK: - Listing

  private func list(_ request: Request, _ store: Store) throws -> Response {
    var query = RequestQuery(request)
    let after = try query.position("after")
    let limit = try query.integer("limit", in: 1...1_000_000_000)
    try query.finish()
    switch try EventFormat(accepting: request) {
    case .lines:
      return lines(
        of: try EventHistory(store, after: after), limit, try routes.downloads.open())
    case .stream:
      guard limit == nil else {
        throw Problem.malformed("a stream has no limit", hint: "leave limit out")
      }
      let content = try EventHistory(store, after: request.lastEventID() ?? after)
      return EventStream(
        content: content, store: store, heartbeat: routes.limits.heartbeat,
        stream: try routes.streams.open()
      ).response(to: request)
    }
  }

  /// - Parameter download: Released at the end.
  private func lines(
    of history: EventHistory, _ limit: Int?, _ download: OpenStreams.Stream
  ) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "application/x-ndjson", .cacheControl: "no-cache"],
      body: ResponseBody { writer in
        var out = StreamWriter(writer)
        var history = history
        try await history.write(to: &out, limit: limit ?? .max) { $1 + "\n" }
        try await out.finish()
        withExtendedLifetime(download) {}
      })
  }

  // MARK: - Appending

  private func append(_ batch: EventBatch, to store: Store) async throws -> Response {
    let metrics = routes.metrics
    let (answer, isRepeated) = try await metrics.commits.measuring {
      try await batch.append(to: store)
    }
    var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
    if isRepeated {
      metrics.repeated.increment()
      headers[.unchecked("Idempotency-Replayed")] = "true"
    } else {
      metrics.appended.increment(by: batch.payloads.count)
    }
    let body = ByteBuffer(string: answer.line)
    return Response(status: .created, headers: headers, body: .init(byteBuffer: body))
  }
}

/// The form in which events are listed.
private enum EventFormat {
  /// Lines of JSON, up to the end of the log.
  case lines
  /// Server-sent events, which go on with new events.
  case stream

  /// Creates the form that a request accepts.
  ///
  /// - Throws: ``Problem`` `notAcceptable`.
  init(accepting request: Request) throws {
    let accepted = request.headers[values: .accept].flatMap { $0.split(separator: ",") }.map {
      $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    }
    if accepted.contains("text/event-stream") {
      self = .stream
    } else if accepted.isEmpty
      || accepted.contains(where: {
        ["application/x-ndjson", "application/json", "application/*", "*/*"].contains($0)
      })
    {
      self = .lines
    } else {
      throw Problem(
        .notAcceptable, code: "notAcceptable", detail: "events are not available in that form",
        hint: "accept application/x-ndjson or text/event-stream")
    }
  }
}

extension RequestQuery {
  /// Takes a position; the start if the parameter is absent.
  ///
  /// - Throws: ``Problem`` `malformed`.
  mutating func position(_ name: String) throws -> LogPosition {
    guard let text = try text(name) else { return .start }
    return try LogPosition(text, of: name)
  }
}

extension Request {
  /// Returns the position that a client of a stream saw last; nil if it saw none.
  ///
  /// - Throws: ``Problem`` `malformed`.
  func lastEventID() throws -> LogPosition? {
    try headers[.unchecked("Last-Event-ID")].map { try LogPosition($0, of: "Last-Event-ID") }
  }
}

extension LogPosition {
  /// Creates a position from a text.
  ///
  /// - Throws: ``Problem`` `malformed`, with the name of what has the text.
  fileprivate init(_ text: String, of name: String) throws {
    guard let number = UInt64(text) else {
      throw Problem.malformed("\(name) must be a position, 0 or more, not \"\(text)\"")
    }
    self.init(rawValue: number)
  }
}
#endif
