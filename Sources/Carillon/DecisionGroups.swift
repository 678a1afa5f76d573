import CarillonModel
import CarillonSQLite
import Synchronization

/// The decisions of concurrent callers, which are made in groups on one snapshot each.
///
/// One group catches up with the log once, whatever the number of its callers. While it is decided,
/// the next one forms. A lone caller decides at once, in its own task.
final class DecisionGroups: Sendable {
  /// A decision, and the position of the state on which it was made.
  typealias Made = (decision: Decision, position: LogPosition)

  private struct Waiting: Sendable {
    let decide: @Sendable (Context) throws -> Decision
    let continuation: CheckedContinuation<Made, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    /// Whether a group is being decided, after which the next one is.
    var isDeciding = false
  }

  /// The maximum number of decisions in a group, so that other queries of the store run in between.
  private static let maxCount = 256

  private let state = Mutex(State())

  /// Makes a decision on a snapshot that contains everything written before the call.
  func make(
    in store: Store, _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws -> Made {
    let isFirst = state.withLock { state in
      defer { state.isDeciding = true }
      return !state.isDeciding
    }
    if isFirst {
      defer { decideRest(in: store) }
      return try await store.projections.read { (try decide(store.context($0)), $0.position) }
    }
    return try await withCheckedThrowingContinuation { continuation in
      let mustStart = state.withLock { state in
        state.waiting.append(Waiting(decide: decide, continuation: continuation))
        defer { state.isDeciding = true }
        return !state.isDeciding
      }
      if mustStart { decideRest(in: store) }
    }
  }

  /// Decides the groups that wait, in a task of its own.
  private func decideRest(in store: Store) {
    guard let group = next() else { return }
    Task {
      await decide(group, in: store)
      decideRest(in: store)
    }
  }

  /// Takes the next group; nil if no decision waits.
  private func next() -> [Waiting]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isDeciding = false
        return nil
      }
      let group = Array(state.waiting.prefix(Self.maxCount))
      state.waiting.removeFirst(group.count)
      return group
    }
  }

  private func decide(_ group: [Waiting], in store: Store) async {
    do {
      let results = try await store.projections.read { reader in
        let context = try store.context(reader)
        return try group.map { one throws -> Result<Made, any Error> in
          do {
            return .success((try one.decide(context), reader.position))
          } catch let error as ProjectionError {
            // Damaged projections are repaired where the snapshot was taken.
            throw error
          } catch {
            return .failure(error)
          }
        }
      }
      for (one, result) in zip(group, results) { one.continuation.resume(with: result) }
    } catch {
      for one in group { one.continuation.resume(throwing: error) }
    }
  }
}
