#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

extension StoreRouter {
  /// Adds `/v1/events`: the log, and batches that are appended to it.
  func addEvents() {
    let answers = EventAnswers(
      limits: routes.limits, metrics: routes.metrics, streams: routes.streams,
      downloads: routes.downloads)
    on(.get, "events", query: ["after", "limit"]) { try answers.list($0) }
    on(.post, "events") { asked in
      do {
        return try await answers.append(asked)
      } catch {
        answers.metrics.refused.increment()
        throw error
      }
    }
  }
}

/// The answers of `/v1/events`.
private struct EventAnswers: Sendable {
  let limits: ServiceLimits
  let metrics: ServiceMetrics
  let streams: OpenStreams
  let downloads: OpenStreams

  // MARK: - Listing

  /// The number of events up to which a list does not count as a download.
  private static let shortCount = 100

  func list(_ asked: StoreRequest) throws -> Response {
    let (request, store) = (asked.request, asked.store)
    let after = try asked.parameter("after").map { try LogPosition($0, of: "after") } ?? .start
    let limit = try asked.integer("limit", in: 1...1_000_000_000)
    let seen = try request.lastEventID()
    switch try EventFormat(accepting: request) {
    case .lines:
      // A short list waits for no client: it fits what is buffered.
      let isShort = limit.map { $0 <= Self.shortCount } ?? false
      return lines(
        of: try EventHistory(store, after: after), limit,
        isShort ? nil : try downloads.open(for: asked.credential))
    case .stream:
      guard limit == nil else {
        throw Problem.malformed("a stream has no limit", hint: "leave limit out")
      }
      let start = seen ?? after
      let last = try store.lastPosition()
      guard start <= last else {
        throw Problem.invalidValue(
          "the position \(start.rawValue) is after the last event, which has the position "
            + "\(last.rawValue)",
          hint: "begin with after=\(last.rawValue), or with 0 if the store was restored")
      }
      let content = try EventHistory(store, after: start)
      return try EventStream(
        content: content, source: store, heartbeat: limits.heartbeat,
        stream: try streams.open(for: asked.credential)
      ).response(to: request)
    }
  }

  /// - Parameter download: Released at the end; nil for a short list.
  private func lines(
    of history: EventHistory, _ limit: Int?, _ download: OpenStreams.Stream?
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

  func append(_ asked: StoreRequest) async throws -> Response {
    try await asked.withBody(atMost: limits.bodyBytes) { body in
      do {
        return try await append(EventBatch(asked.request, body), to: asked.store)
      } catch {
        metrics.refusedEvents.increment(by: ByteLines(body).count)
        throw error
      }
    }
  }

  private func append(_ batch: EventBatch, to store: Store) async throws -> Response {
    let (answer, isRepeated) = try await metrics.commits.measuring {
      try await batch.append(to: store)
    }
    var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
    if isRepeated {
      metrics.repeated.increment()
      metrics.duplicate.increment(by: batch.payloads.count)
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

extension Request {
  /// Returns the position that a client of a stream saw last; nil if it saw none.
  ///
  /// - Throws: ``Problem`` `invalidValue`.
  func lastEventID() throws -> LogPosition? {
    try headers[.unchecked("Last-Event-ID")].map { try LogPosition($0, of: "Last-Event-ID") }
  }
}

extension LogPosition {
  /// Creates a position from a text.
  ///
  /// - Throws: ``Problem`` `invalidValue`, with the name of what has the text.
  fileprivate init(_ text: String, of name: String) throws {
    guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt64(text) else {
      throw Problem.invalid(name, text, "a position, 0 or more")
    }
    self.init(rawValue: number)
  }
}
#endif
