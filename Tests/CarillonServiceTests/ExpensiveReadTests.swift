#if Service
import HTTPTypes
import Testing

@testable import CarillonService

/// The turns of answers that take long to compute.
struct ExpensiveReadTests {
  private let reads = ExpensiveReads(maxCount: 4)

  /// Starts reads of a credential that go on until they are cancelled.
  private func start(_ count: Int, of credential: String) -> [Task<Void, any Error>] {
    (0..<count).map { _ in
      Task { [reads] in
        try await reads.withTurn(of: .credential(credential)) {
          try await Task.sleep(for: .seconds(3_600))
        }
      }
    }
  }

  private func wait(for count: Int) async throws {
    while reads.waitingCount != count { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("A device has two turns at a time, 16 of its reads wait, and a further one is refused")
  func share() async throws {
    let tasks = start(18, of: "a")
    try await wait(for: 16)
    let problem = await #expect(throws: Problem.self) {
      try await reads.withTurn(of: .credential("a")) {}
    }
    #expect(problem?.status == .tooManyRequests && problem?.retryAfter == 1)
    // Others are not held up.
    #expect(try await reads.withTurn(of: .credential("b")) { 1 } == 1)
    tasks.forEach { $0.cancel() }
    for task in tasks { _ = await task.result }
    #expect(reads.waitingCount == 0)
    #expect(try await reads.withTurn(of: .credential("a")) { 1 } == 1)
  }

  @Test("A read whose client is gone no longer waits")
  func cancelled() async throws {
    let tasks = start(3, of: "a")
    try await wait(for: 1)
    tasks.forEach { $0.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(reads.waitingCount == 0)
  }
}
#endif
