#if Service
import HTTPTypes
import Hummingbird
import NIOCore

/// A file of the page, with its media type and its entity tag.
struct PageFile: Sendable {
  /// The path below `/page`, such as `views/today.js`.
  let path: String
  private let body: ByteBuffer
  private let tag: EntityTag
  private let headers: HTTPFields

  init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    body = ByteBuffer(bytes: bytes)
    tag = EntityTag(of: body)
    var headers: HTTPFields = [
      .contentType: Self.mediaType(path), .cacheControl: "no-cache",
      .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff",
      .crossOriginResourcePolicy: "same-origin", .unchecked("Referrer-Policy"): "no-referrer",
    ]
    // The worker is below /page, and serves the whole page.
    if path == "worker.js" { headers[.unchecked("Service-Worker-Allowed")] = "/" }
    self.headers = headers
  }

  func response(to request: Request) -> Response {
    Response(body, tag: tag, headers: headers, to: request)
  }

  /// Nothing is loaded from elsewhere, nothing inline runs, and no other page may embed this one.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:", "manifest-src 'self'", "worker-src 'self'", "frame-ancestors 'none'",
    "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")

  private static func mediaType(_ path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    default: "application/octet-stream"
    }
  }
}
#endif
