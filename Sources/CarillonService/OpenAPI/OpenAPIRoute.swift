#if Service
import Hummingbird
import NIOCore

/// The route of the document that describes all routes of the service, in OpenAPI 3.1.
struct OpenAPIRoute {
  private let body = ByteBuffer(bytes: PackageResources.openapi_json)

  func add(to router: some RouterMethods<some RequestContext>) {
    router.get("openapi.json") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-cache"],
        body: .init(byteBuffer: body))
    }
  }
}
#endif
