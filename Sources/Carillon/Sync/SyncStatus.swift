internal import CarillonLog
import CarillonModel
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
    var isFinished = false
  }

  private let shared = Mutex(Shared())
  private let broadcast = Broadcast<SyncStatus>()

  var status: SyncStatus { shared.withLock(\.status) }

  /// Returns a stream of the status: now, and after each change.
  ///
  /// A slow reader gets only the newest.
  func updates() -> AsyncStream<SyncStatus> {
    let (stream, isFinished) = shared.withLock { shared in
      (broadcast.stream(startingWith: shared.status), shared.isFinished)
    }
    if isFinished { broadcast.finish() }
    return stream
  }

  /// Runs a sync and keeps the status up to date.
  func run(
    _ progress: @escaping @Sendable (SyncProgress) -> Void,
    _ body: (@escaping @Sendable (SyncProgress) -> Void) async throws -> SyncReport
  ) async throws(StoreError) -> SyncReport {
    change { shared in
      shared.count += 1
      shared.status.progress = SyncProgress()
    }
    do {
      let report = try await StoreError.translating {
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
    shared.withLock { $0.isFinished = true }
    broadcast.finish()
  }

  private func change(_ body: (inout Shared) -> Void) {
    shared.withLock { shared in
      body(&shared)
      shared.status.state =
        shared.count > 0 ? .syncing : shared.status.lastError == nil ? .idle : .failed
      // Sending only stores the value for the readers, so it is safe while the lock is held.
      broadcast.yield(shared.status)
    }
  }

  private static func kept(_ error: StoreError) -> StoreError {
    guard error.code == .cancelled else { return error }
    return StoreError(
      code: .cancelled, message: "cancelled; what was exchanged is kept", cause: error.cause)
  }
}
