import Foundation
import Testing

/// Every fuzz target, on the inputs from which `tools/fuzz` starts.
struct SeedTests {
  @Test("A fuzz target accepts its seeds", arguments: FuzzTarget.all)
  func seeds(_ target: FuzzTarget) async throws {
    try await onOwnThread {
      for seed in try target.seeds() { try seed.withUnsafeBytes(target.run) }
    }
  }

  /// Runs work that waits for tasks, which would block a thread of the pool.
  private func onOwnThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
  }
}

extension FuzzTarget: CustomTestStringConvertible {
  var testDescription: String { name }
}
