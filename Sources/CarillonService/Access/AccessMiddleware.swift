#if Service
import CarillonAccess
import HTTPTypes
import Hummingbird
import NIOCore

/// Refuses requests of those who may not make them, or who make too many.
struct AccessMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let requesters: Requesters
  let rates: AccessRates

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard let requester = try requesters.requester(of: request, context) else {
      try rates.failed(context.client)
      throw request.bearer == nil ? Problem.noToken : Problem.unknownToken
    }
    try requester.require(request.method, route: context.endpointPath)
    var context = context
    context.requester = requester
    guard case .invited(let entry) = requester else { return try await next(request, context) }
    try rates.requested(by: entry.id)
    var response = try await next(request, context)
    response.endStream { [requesters, context] in
      requesters.holds(entry, context)
    }
    return response
  }
}

/// Refuses all but the owner.
struct OwnerMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard context.requester == .owner else { throw Problem.ownerOnly }
    return try await next(request, context)
  }
}

extension Problem {
  fileprivate static var noToken: Problem {
    Problem(
      .unauthorized, code: "unauthorized", detail: "the request has no valid token or session",
      hint: "send the header Authorization: Bearer TOKEN; the owner's token is in the file "
        + "service/token of the store, and a device gets one for an invitation")
  }

  /// The owner's token was changed, or the access of a device was revoked.
  fileprivate static var unknownToken: Problem {
    Problem(
      .unauthorized, code: "unauthorized",
      detail: "the token is not valid; the access of the device was probably revoked",
      hint: "ask the owner for another invitation, which is made on the computer of the service; "
        + "the owner's token is in the file service/token of the store")
  }
}

extension Response {
  /// Lets a stream end when its reader, who may be revoked while it is open, may not read it.
  ///
  /// What is written a second after that, or later, does not reach the reader.
  mutating func endStream(unless isAllowed: @escaping @Sendable () async -> Bool) {
    guard body.contentLength == nil else { return }
    body = ResponseBody { [body] writer in
      try await body.write(RevocableWriter(writer, isAllowed: isAllowed))
    }
  }
}

/// Writes the body of a stream as long as its reader may read it.
private struct RevocableWriter: ResponseBodyWriter {
  private var writer: any ResponseBodyWriter
  private let isAllowed: () async -> Bool
  private var checked = ContinuousClock.now

  /// The time for which a check holds, so that many writes cost one.
  private static let interval = Duration.seconds(1)

  init(_ writer: any ResponseBodyWriter, isAllowed: @escaping () async -> Bool) {
    (self.writer, self.isAllowed) = (writer, isAllowed)
  }

  mutating func write(_ buffer: ByteBuffer) async throws {
    if checked.duration(to: .now) >= Self.interval {
      guard await isAllowed() else { throw CancellationError() }
      checked = .now
    }
    try await writer.write(buffer)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await writer.finish(trailingHeaders)
  }
}
#endif
