internal import CarillonModel
internal import Synchronization

/// A flag that reports the cancellation of a task to blocking work on another thread.
final class CancellationFlag: Sendable {
  private let isSet = Atomic(false)

  /// Runs work with a flag that is set when the task is cancelled.
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

  /// - Throws: `cancelled` if the task was cancelled.
  func check() throws {
    guard !isSet.load(ordering: .relaxed) else {
      throw ProjectionError(
        code: .cancelled, message: "cancelled; the previous projections stay in use")
    }
  }
}
