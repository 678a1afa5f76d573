#if Service
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Testing

@testable import CarillonService

/// The limit on the bytes of all bodies that are being received.
struct ReceivedBodyTests {
  private static var limits: ServiceLimits {
    var limits = ServiceLimits()
    (limits.allBodiesBytes, limits.connections) = (100, 4)
    return limits
  }

  private static func request(_ count: Int) -> Request {
    Request(
      head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"),
      body: RequestBody(buffer: ByteBuffer(repeating: 0x20, count: count)))
  }

  @Test("Bodies are received up to the limit, and have room again when others have been read")
  func limit() async throws {
    let bodies = ReceivedBodies(Self.limits)
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

  @Test("A body must have a thousand bytes a second after half a minute, and is refused otherwise")
  func pace() async throws {
    let start = ContinuousClock.now
    let pace = BodyPace(from: start)
    try pace.require(1, at: start + .seconds(30))
    try pace.require(60_000, at: start + .seconds(60))
    for (count, seconds) in [(1, 31), (59_999, 61), (1_000_000, 1_001)] {
      let problem = #expect(throws: Problem.self) {
        try pace.require(count, at: start + .seconds(seconds))
      }
      #expect(problem?.status == .requestTimeout && problem?.code == "tooSlow")
    }
    let slow = BodyPace(from: start - .seconds(61))
    let problem = await #expect(throws: Problem.self) {
      try await Self.request(60).bytes(atMost: 100, at: slow)
    }
    #expect(problem?.code == "tooSlow")
  }

  @Test("The bodies of one device have half of the limit, and a larger one is refused for its size")
  func share() async throws {
    let bodies = ReceivedBodies(Self.limits)
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

  @Test("The bodies of one device arrive on half of the connections at most")
  func connections() async throws {
    let bodies = ReceivedBodies(Self.limits)
    let slow = (0..<2).map { _ in
      let (body, source) = RequestBody.makeStream()
      var request = Self.request(0)
      request.body = body
      return (request, source)
    }
    let waiting = slow.map { request, _ in
      Task { try await bodies.with(request, atMost: 100, for: "a") { $0.count } }
    }
    var problem: Problem?
    while problem == nil {
      do {
        _ = try await bodies.with(Self.request(1), atMost: 100, for: "a") { _ in }
        await Task.yield()
      } catch let error as Problem {
        problem = error
      }
    }
    #expect(problem?.status == .tooManyRequests && problem?.retryAfter == 1)
    #expect(problem?.detail.contains("2 connections") == true)
    let other = try await bodies.with(Self.request(5), atMost: 100, for: "b") { $0.count }
    #expect(other == 5)
    for (_, source) in slow { source.finish() }
    for task in waiting { #expect(try await task.value == 0) }
    _ = try await bodies.with(Self.request(1), atMost: 100, for: "a") { _ in }
  }
}
#endif
