public import CarillonSync
internal import Synchronization

/// How the syncs are that a store leads, for a screen to show.
public struct SyncStatus: Sendable {
  /// What is going on.
  public enum State: String, Hashable, Sendable {
    /// Nothing; the last sync, if there was one, was whole.
    case idle
    /// A sync runs.
    case syncing
    /// The last sync ended with ``SyncStatus/lastError``.
    case failed
  }

  /// What is going on.
  public internal(set) var state = State.idle
  /// How far the sync is that runs, or how far the last one came.
  public internal(set) var progress = SyncProgress()
  /// What the last whole sync did; nil before the first.
  public internal(set) var lastReport: SyncReport?
  /// Why the last sync ended before it was done; nil where it was whole.
  public internal(set) var lastError: StoreError?
}

/// Keeps the status of a store's syncs, and tells those who follow it.
final class SyncWatch: Sendable {
  private struct Shared {
    var status = SyncStatus()
    /// How many syncs run.
    var count = 0
    var followers: [Int: AsyncStream<SyncStatus>.Continuation] = [:]
    var nextFollower = 0
    var isFinished = false
  }

  /// Guards the status and the list of followers.
  private let shared = Mutex(Shared())

  var status: SyncStatus { shared.withLock(\.status) }

  /// The status now, and then each time it changed; a slow reader gets only the newest.
  func updates() -> AsyncStream<SyncStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = shared.withLock { shared -> Int? in
        continuation.yield(shared.status)
        guard !shared.isFinished else { return nil }
        defer { shared.nextFollower += 1 }
        shared.followers[shared.nextFollower] = continuation
        return shared.nextFollower
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in
        self?.shared.withLock { _ = $0.followers.removeValue(forKey: number) }
      }
    }
  }

  /// Runs a sync, and notes how it goes.
  func run(
    _ progress: @escaping @Sendable (SyncProgress) -> Void,
    _ body: (@escaping @Sendable (SyncProgress) -> Void) async throws -> SyncReport
  ) async throws -> SyncReport {
    change { shared in
      shared.count += 1
      shared.status.progress = SyncProgress()
    }
    do {
      let report = try await translatingErrors {
        try await body { step in
          self.change { $0.status.progress = step }
          progress(step)
        }
      }
      change { shared in
        shared.count -= 1
        shared.status.lastReport = report
        shared.status.lastError = nil
      }
      return report
    } catch {
      let error = Self.kept(StoreError(translating: error))
      change { shared in
        shared.count -= 1
        if error.code != .cancelled { shared.status.lastError = error }
      }
      throw error
    }
  }

  /// Ends what follows the status.
  func finish() {
    let followers = shared.withLock { shared in
      shared.isFinished = true
      defer { shared.followers = [:] }
      return Array(shared.followers.values)
    }
    for follower in followers { follower.finish() }
  }

  private func change(_ body: (inout Shared) -> Void) {
    shared.withLock { shared in
      body(&shared)
      shared.status.state =
        shared.count > 0 ? .syncing : shared.status.lastError == nil ? .idle : .failed
      // A yield only puts the value where the reader finds it.
      for follower in shared.followers.values { follower.yield(shared.status) }
    }
  }

  private static func kept(_ error: StoreError) -> StoreError {
    guard error.code == .cancelled else { return error }
    return StoreError(
      code: .cancelled, message: "cancelled; what was exchanged is kept", cause: error.cause)
  }
}
