public import CarillonSync
internal import Synchronization

/// The status of the syncs that a store initiated, for display.
public struct SyncStatus: Sendable {
  /// The current activity.
  public enum State: String, Hashable, Sendable {
    /// No sync is running, and the last one, if any, finished.
    case idle
    /// A sync is running.
    case syncing
    /// The last sync ended with ``SyncStatus/lastError``.
    case failed
  }

  /// The current activity.
  public internal(set) var state = State.idle
  /// The progress of the running sync, or of the last one.
  public internal(set) var progress = SyncProgress()
  /// The report of the last sync that finished; nil before the first.
  public internal(set) var lastReport: SyncReport?
  /// Why the last sync ended early; nil if it finished.
  public internal(set) var lastError: StoreError?
}

/// Keeps the status of a store's syncs, and notifies its followers.
final class SyncWatch: Sendable {
  private struct Shared {
    var status = SyncStatus()
    /// The number of running syncs.
    var count = 0
    var followers: [Int: AsyncStream<SyncStatus>.Continuation] = [:]
    var nextFollower = 0
    var isFinished = false
  }

  /// Guards the status and the list of followers.
  private let shared = Mutex(Shared())

  var status: SyncStatus { shared.withLock(\.status) }

  /// Returns a stream of the status: now, and after each change.
  ///
  /// A slow reader gets only the newest.
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

  /// Runs a sync and keeps the status up to date.
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

  /// Ends all streams of the status.
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
      // Yielding only stores the value for the reader, so it is safe while the lock is held.
      for follower in shared.followers.values { follower.yield(shared.status) }
    }
  }

  private static func kept(_ error: StoreError) -> StoreError {
    guard error.code == .cancelled else { return error }
    return StoreError(
      code: .cancelled, message: "cancelled; what was exchanged is kept", cause: error.cause)
  }
}
