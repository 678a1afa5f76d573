#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Metrics
import NIOCore
import Testing

@testable import CarillonService

/// A store of a phone that is served on a socket, at noon of a Monday in Berlin.
///
/// Every reply is checked against the service's OpenAPI document.
struct RouteBench: Sendable {
  static let now = "2026-11-23T11:00:00Z"
  static let zone = "Europe/Berlin"

  let store: Store
  let clock: ManualClock
  private let client: any TestClientProtocol

  /// Runs a body with a store that is served.
  static func run(
    limits: ServiceLimits = ServiceLimits(),
    _ body: @escaping @Sendable (RouteBench) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let clock = ManualClock(Self.now)
    let zone = try #require(TimeZone(identifier: Self.zone))
    let store = try await Store.create(
      at: directory.appending("store"), replica: "phone",
      options: StoreOptions(clock: { clock.now }, zone: { zone }))
    do {
      let router = Router()
      StoreRoutes<BasicRequestContext>(
        limits: limits, metrics: ServiceMetrics(NOOPMetricsHandler.instance)
      ) { _, _ in store }
      .add(to: router.group("v1"))
      try await Application(router: router).test(.live) { client in
        try await body(RouteBench(store: store, clock: clock, client: client))
      }
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  /// Sends a request, and returns its reply.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
    headers: HTTPFields = [:], at location: SourceLocation = #_sourceLocation
  ) async throws -> Reply {
    let reply = try await client.execute(
      uri: "/v1/" + path, method: method, headers: headers,
      body: body.map { ByteBuffer(string: $0) }
    ) { Reply($0) }
    let problems = OpenAPIDocument.shared.problems(of: reply, method, "/v1/" + path)
    #expect(problems.isEmpty, "\(method) \(path): \(reply.text)", sourceLocation: location)
    return reply
  }

  /// Sends a request that must succeed, and returns the answer.
  @discardableResult
  func answer(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> JSON {
    let reply = try await send(method, path, body, at: location)
    try #require(
      [.ok, .created].contains(reply.status), "\(reply.status) \(reply.text)",
      sourceLocation: location)
    return try reply.json()
  }

  /// Adds a habit, and returns its ID.
  func addHabit(_ document: String) async throws -> String {
    try #require(try await answer(.post, "habits", document)["habit"]?.text)
  }

  /// Grants the permission to deliver notifications, and turns the alerts on.
  func allowReminders() async throws {
    try await answer(
      .put, "permission", #"{"status":"authorized","options":["alert","sound","badge"]}"#)
    try await answer(.put, "alerts", #"{"alerts":true}"#)
  }

  /// Returns the document that the command line prints for the same store.
  func carillon(_ arguments: [String]) async throws -> JSON {
    try JSON(parsing: Array(try await text(arguments + ["--json"]).utf8))
  }

  /// Returns what the command line prints for the same store.
  func text(_ arguments: [String]) async throws -> String {
    let directory = try TemporaryDirectory()
    let (output, errors) = (
      directory.url.appending(path: "output"), directory.url.appending(path: "errors")
    )
    let child = try await ChildProcess(
      BuiltProgram.url("carillon"),
      arguments + [
        "--store", store.directory.path(percentEncoded: false), "--now", clock.now.rfc3339(),
        "--zone", Self.zone,
      ],
      environment: ["PATH": "/usr/bin:/bin"], input: URL(filePath: "/dev/null"), output: output,
      errors: errors)
    let ending = try await child.end()
    let problem = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    try #require(ending.status == 0, "\(problem)")
    return String(decoding: try Data(contentsOf: output), as: UTF8.self)
  }
}

/// The reply to a request.
struct Reply: Sendable {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let text: String

  init(_ response: TestResponse) {
    (status, headers) = (response.status, response.headers)
    text = String(buffer: response.body)
  }

  func json() throws -> JSON { try JSON(parsing: Array(text.utf8)) }

  /// The code of a problem; nil if the reply is none.
  var code: String? {
    guard headers[.contentType] == "application/problem+json" else { return nil }
    return try? json()["code"]?.text
  }

  /// What a problem says; empty if the reply is none.
  var detail: String { (try? json()["detail"]?.text) ?? "" }
}

extension JSON {
  subscript(name: String) -> JSON? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  subscript(index: Int) -> JSON? {
    elements.indices.contains(index) ? elements[index] : nil
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The elements of a list; empty for anything else.
  var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
}
#endif
