#if Service
import CarillonDocuments
import HTTPTypes
import Hummingbird
import NIOCore

/// A JSON document as the answer to a request.
struct Answer: ResponseGenerator {
  /// The document's bytes.
  let body: ByteBuffer
  let status: HTTPResponse.Status
  /// The entity tag; nil if the answer has none.
  let tag: EntityTag?
  /// The number of events that the request wrote.
  let eventCount: Int

  /// Creates the answer of a document.
  ///
  /// - Parameters:
  ///   - isTagged: Whether the answer has an entity tag, which is computed from its bytes.
  ///   - eventCount: The number of events that the request wrote.
  init(
    _ document: JSON, _ status: HTTPResponse.Status = .ok, isTagged: Bool = false,
    eventCount: Int = 0
  ) {
    self.eventCount = eventCount
    body = ByteBuffer(string: document.line)
    self.status = status
    tag = isTagged ? EntityTag(of: body) : nil
  }

  func response(from request: Request, context: some RequestContext) -> Response {
    let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-cache"]
    guard let tag else {
      return Response(status: status, headers: headers, body: .init(byteBuffer: body))
    }
    return Response(body, status, tag: tag, headers: headers, to: request)
  }
}
#endif
