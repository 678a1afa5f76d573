#if Service
import Hummingbird
import NIOCore

/// The route of the document that describes all routes of a program, in OpenAPI 3.1.
struct OpenAPIRoute {
  private let body: ByteBuffer

  /// - Parameter document: The document; by default, that of a service of one store.
  init(_ document: [UInt8] = PackageResources.openapi_json) {
    body = ByteBuffer(bytes: document)
  }

  func add(to router: some RouterMethods<some RequestContext>) {
    router.get("openapi.json") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-cache"],
        body: .init(byteBuffer: body))
    }
  }
}
#endif
