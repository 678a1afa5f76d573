import CarillonLog
import CarillonModel
import CarillonSQLite
import Synchronization

/// The decisions of concurrent callers, which are made in groups on one snapshot each, and then
/// written.
///
/// One group catches up with the log once, whatever the number of its callers. Its events go from
/// the decision to the log's writer, and a caller waits once for both. While a group is decided,
/// the next one forms. A lone caller decides at once, in its own task.
final class DecisionGroups: Sendable {
  /// A decision, and what became of its events; nil if it has none.
  typealias Made = (decision: Decision, outcome: RecordOutcome?)

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

  /// Makes a decision on a snapshot that contains everything written before the call, and writes
  /// its events.
  func make(
    in store: Store, _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws -> Made {
    let isFirst = state.withLock { state in
      defer { state.isDeciding = true }
      return !state.isDeciding
    }
    if isFirst { return try await makeAlone(in: store, decide) }
    return try await withCheckedThrowingContinuation { continuation in
      let mustStart = state.withLock { state in
        state.waiting.append(Waiting(decide: decide, continuation: continuation))
        defer { state.isDeciding = true }
        return !state.isDeciding
      }
      if mustStart { decideRest(in: store) }
    }
  }

  private func makeAlone(
    in store: Store, _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws -> Made {
    let (decision, position) = try await decideAlone(in: store, decide)
    let (events, now) = try store.events(of: decision)
    guard !events.isEmpty else { return (decision, nil) }
    return (
      decision,
      try await store.log.record(
        events, wallClock: now, expecting: decision.needsState ? position : nil)
    )
  }

  private func decideAlone(
    in store: Store, _ decide: @escaping @Sendable (Context) throws -> Decision
  ) async throws -> (Decision, LogPosition) {
    // The next group need not wait for the commit.
    defer { decideRest(in: store) }
    return try await store.projections.read { (try decide(store.context($0)), $0.position) }
  }

  // MARK: - Groups

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
      let (results, position) = try await store.projections.read { reader in
        let context = try store.context(reader)
        let results = try group.map { one throws -> Result<Decision, any Error> in
          do {
            return .success(try one.decide(context))
          } catch let error as ProjectionError {
            // Damaged projections are repaired where the snapshot was taken.
            throw error
          } catch {
            return .failure(error)
          }
        }
        return (results, reader.position)
      }
      for (one, result) in zip(group, results) {
        do {
          try write(result.get(), on: position, for: one.continuation, in: store)
        } catch {
          one.continuation.resume(throwing: error)
        }
      }
    } catch {
      for one in group { one.continuation.resume(throwing: error) }
    }
  }

  /// Queues the events of a decision, and resumes its caller after their commit.
  private func write(
    _ decision: Decision, on position: LogPosition,
    for caller: CheckedContinuation<Made, any Error>, in store: Store
  ) throws {
    let (events, now) = try store.events(of: decision)
    guard !events.isEmpty else { return caller.resume(returning: (decision, nil)) }
    try store.log.record(
      events, wallClock: now, expecting: decision.needsState ? position : nil
    ) { outcome in
      caller.resume(with: outcome.map { (decision, $0) })
    }
  }
}

extension Store {
  /// Returns the events of a decision, and the time at which they are recorded.
  fileprivate func events(of decision: Decision) throws -> (events: [NewEvent], now: Instant) {
    let now = options.clock()
    return (try decision.payloads.map { try NewEvent($0, at: now) }, now)
  }
}
