#if Service
import CarillonDocuments
import CarillonModel
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A connection to a service, for one request at a time.
struct ServiceConnection {
  let place: ServicePlace
  let channel: any Channel
  var parts: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator
  let outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>
  /// The number of requests that were answered.
  private(set) var answerCount = 0

  init(
    place: ServicePlace, channel: any Channel,
    parts: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator,
    outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>
  ) {
    (self.place, self.channel, self.parts, self.outbound) = (place, channel, parts, outbound)
  }

  /// The maximum number of bytes of an answer: that of a message, and of any problem document.
  private static let maxAnswerBytes = 60_000

  /// Sends a request and returns its answer.
  ///
  /// - Parameter limit: The time after which the connection is closed.
  /// - Throws: ``LinkFailure`` if the answer is too large; ``ConnectionEnd`` or an error of the
  ///   connection if it ends before the answer, also since the time is over.
  mutating func ask(
    _ method: HTTPRequest.Method, _ path: String, accept: String, body: [UInt8]? = nil,
    type: String? = nil, within limit: Duration
  ) async throws -> ServiceAnswer {
    let start = ContinuousClock.now
    let end = EndTimer(channel, after: limit)
    defer { end.cancel() }
    do {
      try await send(method, path, accept: accept, body: body, type: type)
      return try await answer(to: try await head())
    } catch let error where !(error is LinkFailure) && start.duration(to: .now) >= limit {
      throw ConnectionEnd("no answer came within \(limit.secondsText)")
    }
  }

  /// Sends a request without a body, and returns the head of its answer.
  mutating func open(_ path: String, accept: String) async throws -> HTTPResponse {
    try await send(.get, path, accept: accept, body: nil, type: nil)
    return try await head()
  }

  /// Reads the rest of an answer.
  mutating func answer(to head: HTTPResponse) async throws -> ServiceAnswer {
    var body: [UInt8] = []
    while let part = try await parts.next() {
      switch part {
      case .head: throw LinkFailure.malformed("\(place.text) answered a request twice")
      case .body(let piece):
        body += piece.readableBytesView
        guard body.count <= Self.maxAnswerBytes else {
          throw LinkFailure.malformed(
            "an answer of \(place.text) has more than \(Self.maxAnswerBytes) bytes")
        }
      case .end:
        answerCount += 1
        return ServiceAnswer(place: place, head: head, body: body)
      }
    }
    throw ConnectionEnd()
  }

  /// Returns the next piece of an answer that goes on; nil at its end.
  mutating func piece() async throws -> ByteBuffer? {
    while let part = try await parts.next() {
      switch part {
      case .body(let piece): return piece
      case .head, .end: return nil
      }
    }
    return nil
  }

  // MARK: -

  private func send(
    _ method: HTTPRequest.Method, _ path: String, accept: String, body: [UInt8]?, type: String?
  ) async throws {
    var head = HTTPRequest(
      method: method, scheme: place.isSecure ? "https" : "http", authority: place.authority,
      path: place.path + path)
    head.headerFields[.accept] = accept
    head.headerFields[.userAgent] = "carillon"
    if let credential = place.credential {
      head.headerFields[.authorization] = "Bearer \(credential)"
    }
    head.headerFields[.contentType] = type
    if let body { head.headerFields[.contentLength] = "\(body.count)" }
    var request: [HTTPRequestPart] = [.head(head)]
    if let body { request.append(.body(ByteBuffer(bytes: body))) }
    try await outbound.write(contentsOf: request + [.end(nil)])
  }

  private mutating func head() async throws -> HTTPResponse {
    guard case .head(let head)? = try await parts.next() else { throw ConnectionEnd() }
    return head
  }
}

extension Duration {
  /// The time in seconds, rounded up, for messages.
  var secondsText: String { Int((self / .seconds(1)).rounded(.up)).counted("second") }
}

/// Closes a connection after some time.
struct EndTimer {
  private let scheduled: Scheduled<Void>

  init(_ channel: any Channel, after limit: Duration) {
    scheduled = channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(limit / .nanoseconds(1)))) {
      channel.close(promise: nil)
    }
  }

  func cancel() { scheduled.cancel() }
}

/// An answer of a service.
struct ServiceAnswer: Sendable {
  let place: ServicePlace
  let head: HTTPResponse
  let body: [UInt8]

  /// The type of the body, without parameters.
  var type: String {
    (head.headerFields[.contentType] ?? "").prefix { $0 != ";" }
      .trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// The body as a JSON object; nil for anything else.
  var object: JSONObject? {
    guard case .object(let object)? = try? JSONValue(parsing: body) else { return nil }
    return object
  }

  /// What the person uses of a hub; nil if the answer does not say it.
  var byteUse: ByteUse? {
    HTTPField.Name("Carillon-Quota").flatMap { head.headerFields[$0] }
      .flatMap { ByteUse(field: $0) }
  }

  /// What to do about an answer that is not the expected one.
  enum Refusal: Sendable {
    /// The program ends.
    case end(LinkFailure)
    /// The request may be sent again after a time; until then, this is the failure.
    case wait(Duration, LinkFailure)
    /// The message counts as lost; this is the failure if it is not sent again.
    case lost(LinkFailure)
  }

  /// Returns what to do; nil for a success.
  var refusal: Refusal? {
    let problem = problem
    switch head.status.code {
    case 200..<300: return nil
    case 300..<400:
      return .end(
        .malformed("\(place.text) redirects to another address, which is not followed"))
    case 401, 403:
      var failure = LinkFailure.denied("\(place.text) refuses this device\(problem)")
      failure.isRefusal = head.status.code == 401
      // Else the device is known, or comes with an invitation; the service says what it may not do.
      if !failure.isRefusal, let hint = text("hint") { failure.hint = hint }
      return .end(failure)
    case 429, 503:
      let seconds = head.headerFields[.retryAfter].flatMap { Int($0) } ?? 1
      let wait = min(max(seconds, 1), 86_400)
      return .wait(
        .seconds(wait),
        .busy("\(place.text) accepts the next request in \(wait.counted("second"))\(problem)"))
    case 408, 500, 502, 504:
      var failure = LinkFailure.unreachable("\(place.text) answered \(head.status.code)\(problem)")
      if let hint = text("hint") { failure.hint = hint }
      return .lost(failure)
    case 409, 422, 507:
      let isFull = head.status.code == 507
      return .end(
        LinkFailure(
          status: isFull ? .inputOutput : .badData,
          code: text("code") ?? (isFull ? "full" : "invalidValue"),
          message: text("detail") ?? "\(place.text) answered \(head.status.code)",
          hint: text("hint") ?? "correct the value that the error names"))
    default:
      return .end(.malformed("\(place.text) answered \(head.status.code)\(problem)"))
    }
  }

  /// The detail of the problem document, after a colon; empty if there is none.
  private var problem: String {
    text("detail").map { ": \($0)" } ?? ""
  }

  /// A member of the problem document.
  private func text(_ name: String) -> String? {
    guard case .text(let text)? = object?[name] else { return nil }
    return String(text.prefix(300))
  }
}
#endif
