internal import Synchronization

/// Tells blocking work on another thread that its task was cancelled.
final class CancellationFlag: Sendable {
  private let isSet = Atomic(false)

  /// Runs work; cancelling the task sets the flag that the work was given.
  static func observing<T>(
    _ work: (CancellationFlag) async throws -> T
  ) async throws -> T {
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await work(flag)
    } onCancel: {
      flag.isSet.store(true, ordering: .relaxed)
    }
  }

  /// - Throws: `cancelled` once the task was.
  func check() throws {
    guard !isSet.load(ordering: .relaxed) else {
      throw ProjectionError(code: .cancelled, message: "cancelled; what was served before still is")
    }
  }
}
