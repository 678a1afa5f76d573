#if Service
public import Carillon
import CarillonDocuments
public import HTTPTypes
public import Hummingbird
import NIOCore

/// Why a request was not answered as asked, as a problem document (RFC 9457).
///
/// The body is `{"type","title","status","detail","code","hint"}`. The type is
/// `urn:carillon:problem:` and the code. The code is that of the ``StoreError``, or one of the
/// service.
public struct Problem: HTTPResponseError, Hashable {
  /// The status of the response.
  public let status: HTTPResponse.Status
  /// A stable code that programs can match.
  public let code: String
  /// What is wrong, the value, the limit; lower case, without a full stop.
  ///
  /// Longer values are cut after 100 characters.
  public let detail: String
  /// What to try next; nil if nothing is known to help.
  public let hint: String?
  /// The seconds after which another attempt may succeed; nil if that depends on something else.
  public let retryAfter: Int?

  /// Creates a problem from its parts.
  public init(
    _ status: HTTPResponse.Status, code: String, detail: String, hint: String? = nil,
    retryAfter: Int? = nil
  ) {
    (self.status, self.code, self.detail) = (status, code, detail.withShortValues)
    (self.hint, self.retryAfter) = (hint ?? Self.usualHints[code], retryAfter)
  }

  /// What to try next by the code, for problems that do not say it themselves.
  private static let usualHints = [
    "malformed": "see /openapi.json for the parameters of the route and the members of its body",
    "invalidValue": "correct the value; see /openapi.json for what is allowed",
    "full": "free space on the disk of the service, then send the request again; nothing was lost",
    "notFound": "list what there is, such as the habits with GET /v1/habits",
  ]

  /// Creates the problem for an error of a store.
  public init(_ error: StoreError) {
    self.init(
      .init(error.code), code: error.code.rawValue, detail: error.message.withoutDirectories,
      hint: error.hint?.withoutDirectories,
      retryAfter: error.code == .busy ? 1 : nil)
  }

  /// A body, a path or a query that does not have the form that the route documents.
  static func malformed(_ detail: String, hint: String? = nil) -> Problem {
    Problem(.badRequest, code: "malformed", detail: detail, hint: hint)
  }

  /// A value that has the form, but is not allowed.
  static func invalidValue(_ detail: String, hint: String? = nil) -> Problem {
    Problem(.unprocessableContent, code: "invalidValue", detail: detail, hint: hint)
  }

  /// A body over the limit of its route.
  static func tooLarge(limit: Int) -> Problem {
    Problem(
      .contentTooLarge, code: "tooLarge", detail: "the body has more than \(limit) bytes",
      hint: "send it in parts")
  }

  /// The body.
  var document: JSON {
    [
      "type": .text("urn:carillon:problem:\(code)"), "title": .text(status.reasonPhrase),
      "status": .integer(status.code), "detail": .text(detail), "code": .text(code),
      "hint": .text(hint),
    ]
  }

  /// The head and the body of the response.
  var message: (head: HTTPResponse, body: ByteBuffer) {
    var headers: HTTPFields = [.contentType: "application/problem+json"]
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
    let body = ByteBuffer(string: document.line)
    headers[.contentLength] = String(body.readableBytes)
    return (HTTPResponse(status: status, headerFields: headers), body)
  }

  /// Returns the response.
  public func response(from request: Request, context: some RequestContext) -> Response {
    let (head, body) = message
    return Response(
      status: head.status, headers: head.headerFields, body: .init(byteBuffer: body))
  }
}

extension HTTPResponse.Status {
  fileprivate init(_ code: StoreError.Code) {
    self =
      switch code {
      case .notFound: .notFound
      case .alreadyExists, .ambiguous: .conflict
      case .invalidValue: .unprocessableContent
      case .protocolViolation: .badRequest
      case .readOnly: .forbidden
      case .unreachable: .badGateway
      case .busy, .closed: .serviceUnavailable
      case .full: .init(code: 507, reasonPhrase: "Insufficient Storage")
      default: .internalServerError
      }
  }
}
#endif
