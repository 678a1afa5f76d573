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

  @Test("A problem of a request says what to try next, by its code if by nothing else")
  func hints() {
    #expect(Problem.invalidValue("x: 1 is not 2").hint?.hasPrefix("correct the value") == true)
    #expect(Problem.malformed("x must be text").hint?.contains("/openapi.json") == true)
    #expect(Problem.malformed("x is missing", hint: "give x").hint == "give x")
    let error = StoreError(code: .notFound, message: "there is no habit 1")
    #expect(Problem(error).hint?.contains("GET /v1/habits") == true)
  }

  @Test("A problem names a file without its directory, and cuts what a client sent after 100")
  func texts() {
    let long = String(repeating: "x", count: 5_000)
    for (message, detail) in [
      ("cannot open /data/phone/token: No such file", "cannot open token: No such file"),
      ("the path /v is kept", "the path /v is kept"),
      ("\"/a/b\" is not a title", "\"/a/b\" is not a title"),
      ("unknown \(long)", "unknown \(long.prefix(100))…"),
      ("\"a \(long)\" is long", "\"a \(long.prefix(98))…\" is long"),
    ] {
      #expect(Problem(StoreError(code: .io, message: message)).detail == detail)
    }
  }
}
#endif
