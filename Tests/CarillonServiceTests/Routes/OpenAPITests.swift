#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CarillonService

struct OpenAPITests {
  @Test("Every route of a store is in the OpenAPI document, and the reverse")
  func routes() async throws {
    try await RouteBench.run { bench in
      let router = Router()
      StoreRoutes<BasicRequestContext>(bench.store).add(to: router.group("v1"))
      OpenAPIRoute().add(to: router)
      let routes = Set(router.routes.map { "\($0.method.rawValue) \($0.path)" })
      let described = OpenAPIDocument.shared.operations
      #expect(routes.subtracting(described).sorted() == [])
      #expect(described.subtracting(routes).subtracting(Self.elsewhere).sorted() == [])
    }
  }

  /// The operations that other parts of the service answer.
  private static let elsewhere: Set = [
    "GET /v1/session", "POST /v1/session", "DELETE /v1/session", "POST /v1/join",
    "POST /v1/join/check",
    "GET /v1/access", "DELETE /v1/access/{id}", "POST /v1/invitations", "GET /livez", "GET /readyz",
    "GET /metrics",
  ]

  @Test("A whole number in a query that is none, or is out of its limits, is answered with 422")
  func wholeNumbers() async throws {
    try await RouteBench.run { bench in
      let habit = try await bench.addHabit(#"{"title":"Walk"}"#)
      let parameters = OpenAPIDocument.shared.wholeNumbers
      #expect(parameters.count >= 7)
      for (path, name) in parameters {
        for value in ["x", "", "1.5", "-1", "99999999999999999999"] {
          let route = path.dropFirst("/v1/".count).replacing("{habit}", with: habit)
          let reply = try await bench.send(.get, "\(route)?\(name)=\(value)")
          #expect(reply.status == .unprocessableContent, "\(path) \(name)=\(value)")
          #expect(reply.detail.hasPrefix("\(name): \"\(value)\" is not "), "\(reply.text)")
        }
      }
    }
  }

  @Test("The schemas use only keywords that the replies are checked against")
  func keywords() {
    var unknown: Set<String> = []
    func visit(_ schema: JSON) {
      guard case .object(let object) = schema else { return }
      for member in object.members {
        if !SchemaCheck.keywords.contains(member.name) { unknown.insert(member.name) }
        switch member.name {
        case "properties": OpenAPIDocument.shared.members(member.value).forEach { visit($0.value) }
        case "items", "additionalProperties": visit(member.value)
        case "oneOf", "allOf": member.value.elements.forEach(visit)
        default: break
        }
      }
    }
    let schemas = OpenAPIDocument.shared.members(
      OpenAPIDocument.shared.json["components"]?["schemas"])
    schemas.forEach { visit($0.value) }
    #expect(schemas.count > 60)
    #expect(unknown.sorted() == [])
  }

  @Test("The examples of the document match its schemas")
  func examples() {
    let check = SchemaCheck(document: .shared)
    func visit(_ value: JSON, _ place: String) {
      if let example = value["example"], let schema = value["schema"] {
        #expect(check.problems(of: example, schema, place) == [])
      }
      switch value {
      case .object(let object):
        for one in object.members { visit(one.value, "\(place).\(one.name)") }
      case .array(let elements): for one in elements { visit(one, place) }
      default: break
      }
    }
    visit(OpenAPIDocument.shared.json, "document")
  }

  @Test("Each operation has a name of its own, and references name what exists")
  func references() {
    var (names, broken) = ([String](), [String]())
    func visit(_ value: JSON) {
      if let name = value["operationId"]?.text { names.append(name) }
      if let reference = value["$ref"]?.text,
        OpenAPIDocument.shared.value(at: reference) == nil
      {
        broken.append(reference)
      }
      switch value {
      case .object(let object): for member in object.members { visit(member.value) }
      case .array(let elements): elements.forEach(visit)
      default: break
      }
    }
    visit(OpenAPIDocument.shared.json)
    #expect(Set(names).count == names.count)
    #expect(broken == [])
  }

  @Test("The document is served as JSON")
  func served() async throws {
    let router = Router()
    OpenAPIRoute().add(to: router)
    try await Application(router: router).test(.live) { client in
      try await client.execute(uri: "/openapi.json", method: .get) { response in
        #expect(response.headers[.contentType] == "application/json")
        #expect(String(buffer: response.body).hasPrefix("{\n  \"openapi\": \"3.1.0\""))
      }
    }
  }
}
#endif
