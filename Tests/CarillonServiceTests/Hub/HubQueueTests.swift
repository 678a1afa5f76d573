#if Service
import CarillonHub
import CarillonModel
import HTTPTypes
import Testing

@testable import CarillonService

/// The limits on what waits for a hub's database.
struct HubQueueTests {
  private func queue(_ maxCount: Int, _ maxBytes: Int) -> HubQueue {
    HubQueue(maxCount: maxCount, maxBytes: maxBytes, ServiceMetrics(PrometheusMetrics()))
  }

  /// Calls `body` while a request of some bytes uses the database.
  private func using(
    _ queue: HubQueue, byteCount: Int, _ body: () async throws -> Void
  ) async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    async let held: Void = queue.run(.group("main"), byteCount: byteCount) {
      begin.finish()
      for await _ in ended {}
    }
    for await _ in begun {}
    defer { end.finish() }
    try await body()
    end.finish()
    try await held
  }

  /// Expects that a request is served.
  private func expectServed(
    _ queue: HubQueue, _ group: String, byteCount: Int
  ) async throws {
    let isServed = try await queue.run(.group(group), byteCount: byteCount) { true }
    #expect(isServed)
  }

  @Test("A request at the limit is served, and one past it is refused with a time to return")
  func count() async throws {
    let queue = queue(2, 1_000)
    try await using(queue, byteCount: 1) {
      try await expectServed(queue, "main", byteCount: 1)
      try await using(queue, byteCount: 1) {
        let problem = await #expect(throws: Problem.self) {
          try await queue.run(.group("main"), byteCount: 1) {}
        }
        #expect(problem?.status == .serviceUnavailable && problem?.retryAfter ?? 0 >= 1)
        try await expectServed(queue, "other", byteCount: 1)
      }
    }
    try await expectServed(queue, "main", byteCount: 1)
  }

  @Test("Bytes at the limit are accepted, and one byte more is refused")
  func bytes() async throws {
    let queue = queue(10, 100)
    try await using(queue, byteCount: 60) {
      try await expectServed(queue, "main", byteCount: 40)
      await #expect(throws: Problem.self) {
        try await queue.run(.group("main"), byteCount: 41) {}
      }
    }
  }

  @Test("After failures in a row, one call a second is tried until one succeeds")
  func breaker() {
    var breaker = CircuitBreaker()
    let now = ContinuousClock.now
    for _ in 0..<4 { breaker.end(isFailure: true, at: now) }
    #expect(breaker.begin(at: now) == nil)
    breaker.end(isFailure: true, at: now)
    #expect(breaker.begin(at: now) == .seconds(1))
    #expect(breaker.begin(at: now + .seconds(1)) == nil)
    #expect(breaker.begin(at: now + .seconds(1)) == .seconds(1))
    breaker.end(isFailure: false, at: now + .seconds(1))
    #expect(breaker.begin(at: now + .seconds(1)) == nil)
  }

  @Test("A part that is left alone is refused with what is known about it")
  func reason() async throws {
    let queue = queue(2, 1_000)
    for _ in 0..<5 {
      await #expect(throws: LogError.self) {
        try await queue.run(.group("main"), byteCount: 1) {
          throw LogError.refused(by: .noConnections, "no")
        }
      }
    }
    let problem = await #expect(throws: Problem.self) {
      try await queue.run(.group("main"), byteCount: 1, reason: .noConnections) {}
    }
    #expect(problem?.detail == HubObstacle.noConnections.rawValue)
  }

  @Test("A look-up in all groups is tried, however many have failed")
  func allGroups() async throws {
    let queue = queue(2, 1_000)
    for _ in 0..<9 {
      await #expect(throws: LogError.self) {
        try await queue.run(.allGroups, byteCount: 0) {
          throw LogError.refused(by: .silent).of(group: "two")
        }
      }
    }
  }

  @Test("An unknown outcome and a busy database are refusals with a time to return")
  func outcomes() {
    for code in [LogErrorCode.busy, LogErrorCode(rawValue: "unknownOutcome")] {
      let problem = Problem(hub: LogError(code: code, message: "x"))
      #expect(problem.status == .serviceUnavailable && problem.retryAfter ?? 0 >= 1)
    }
    let full = Problem(hub: LogError(code: .full, message: "the quota of 1 byte is used"))
    #expect(full.status.code == 507 && full.detail == "the quota of 1 byte is used")
  }
}
#endif
