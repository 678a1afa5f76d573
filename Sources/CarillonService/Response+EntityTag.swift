#if Service
import CarillonModel
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
  /// Creates the answer to a request, with an entity tag; without a body if the client has it.
  init(
    _ body: ByteBuffer, _ status: HTTPResponse.Status = .ok, tag: EntityTag,
    headers: HTTPFields, to request: Request
  ) {
    var headers = headers
    headers[.eTag] = tag.value
    if request.headers[values: .ifNoneMatch].contains(where: tag.isNamed(in:)) {
      self.init(status: .notModified, headers: headers)
    } else {
      self.init(status: status, headers: headers, body: .init(byteBuffer: body))
    }
  }
}

/// The entity tag of bytes.
struct EntityTag: Sendable {
  /// The tag, with its quotes.
  let value: String

  init(of body: ByteBuffer) {
    var digest = ContentDigest()
    body.withUnsafeReadableBytes { digest.update($0) }
    value = "\"\(digest.finalize().prefix(12).hexadecimal)\""
  }

  /// Whether a value of `If-None-Match` names the tag.
  fileprivate func isNamed(in list: String) -> Bool {
    list.split(separator: ",").contains { one in
      let one = one.drop { $0 == " " }.prefix { $0 != " " }
      return one == "*" || one == value || one == "W/\(value)"
    }
  }
}
#endif
