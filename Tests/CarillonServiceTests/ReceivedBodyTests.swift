#if Service
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Testing

@testable import CarillonService

/// The limit on the bytes of all bodies that are being received.
struct ReceivedBodyTests {
  private static func request(_ count: Int) -> Request {
    Request(
      head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"),
      body: RequestBody(buffer: ByteBuffer(repeating: 0x20, count: count)))
  }

  @Test("Bodies are received up to the limit, and have room again when others have been read")
  func limit() async throws {
    let bodies = ReceivedBodies(maxBytes: 100)
    try await bodies.with(Self.request(60), atMost: 100, for: nil) { _ in
      let full = try await bodies.with(Self.request(40), atMost: 100, for: nil) { $0.count }
      #expect(full == 40)
      let problem = await #expect(throws: Problem.self) {
        try await bodies.with(Self.request(41), atMost: 100, for: nil) { _ in }
      }
      #expect(problem?.status == .serviceUnavailable && problem?.retryAfter == 1)
      #expect(problem?.code == "busy" && problem?.detail.contains("100 bytes") == true)
    }
    let whole = try await bodies.with(Self.request(100), atMost: 100, for: nil) { $0.count }
    #expect(whole == 100)
  }

  @Test("The bodies of one device have half of the limit, and a larger one is refused for its size")
  func share() async throws {
    let bodies = ReceivedBodies(maxBytes: 100)
    try await bodies.with(Self.request(30), atMost: 100, for: "a") { _ in
      let problem = await #expect(throws: Problem.self) {
        try await bodies.with(Self.request(21), atMost: 100, for: "a") { _ in }
      }
      #expect(problem?.status == .tooManyRequests && problem?.retryAfter == 1)
      let rest = try await bodies.with(Self.request(20), atMost: 100, for: "a") { $0.count }
      let other = try await bodies.with(Self.request(50), atMost: 100, for: "b") { $0.count }
      #expect(rest == 20 && other == 50)
    }
    let large = await #expect(throws: Problem.self) {
      try await bodies.with(Self.request(51), atMost: 100, for: "a") { _ in }
    }
    #expect(large == .tooLarge(limit: 50))
  }
}
#endif
