#if Service
import Carillon
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CarillonService

@Suite struct ProblemTests {
  @Test("An error of the store is answered with its code, its message and its status")
  func storeError() async throws {
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.get("busy") { _, _ -> String in
      throw StoreError(code: .busy, message: "another process writes")
    }
    try await Application(router: router).test(.router) { client in
      try await client.execute(uri: "/busy", method: .get) { response in
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(response.headers[.retryAfter] == "1")
        let body = String(buffer: response.body)
        #expect(body.contains("\"code\":\"busy\",\"hint\":null"), "\(body)")
      }
    }
  }
}
#endif
