internal import Synchronization

/// Sends values to any number of streams.
///
/// A slow consumer receives only the newest value.
package final class Broadcast<Value: Sendable>: Sendable {
  /// Sends values until there are no more, or until its task is cancelled.
  package typealias Source = @Sendable (_ send: @escaping @Sendable (Value) -> Void) async -> Void

  private struct Listener {
    let owner: ObjectIdentifier?
    let continuation: AsyncStream<Value>.Continuation
  }

  private struct Shared {
    var listeners: [Int: Listener] = [:]
    var nextKey = 0
    /// The task that runs the source, with its number; nil while nothing listens.
    var feeding: (number: Int, task: Task<Void, Never>)?
  }

  private let shared = Mutex(Shared())
  private let source: Source?

  /// Creates a broadcast without listeners.
  ///
  /// - Parameter source: Runs in one task for all streams, only while there is a stream. All
  ///   streams end when it returns.
  package init(source: Source? = nil) {
    self.source = source
  }

  /// Returns a stream of the values sent from now on.
  ///
  /// - Parameters:
  ///   - first: A value to receive at once.
  ///   - owner: The object whose values the stream has, for ``yield(_:for:)`` and ``finish(for:)``.
  package func stream(
    startingWith first: Value? = nil, for owner: AnyObject? = nil
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    if let first { continuation.yield(first) }
    let listener = Listener(owner: owner.map { ObjectIdentifier($0) }, continuation: continuation)
    let key = shared.withLock { shared in
      defer { shared.nextKey += 1 }
      shared.listeners[shared.nextKey] = listener
      if shared.feeding == nil, let source {
        shared.feeding = (shared.nextKey, feed(source, number: shared.nextKey))
      }
      return shared.nextKey
    }
    continuation.onTermination = { [weak self] _ in self?.remove(key) }
    return stream
  }

  /// Whether nobody listens.
  package var isUnheard: Bool { shared.withLock { $0.listeners.isEmpty } }

  /// Sends a value to the streams of an owner; with nil, to all streams.
  package func yield(_ value: Value, for owner: AnyObject? = nil) {
    for listener in listeners(of: owner) { listener.continuation.yield(value) }
  }

  /// Ends the streams of an owner; with nil, all streams.
  package func finish(for owner: AnyObject? = nil) {
    // Ending a stream removes it, for which the lock must be free.
    for listener in listeners(of: owner) { listener.continuation.finish() }
  }

  private func listeners(of owner: AnyObject?) -> [Listener] {
    let owner = owner.map { ObjectIdentifier($0) }
    return shared.withLock { $0.listeners.values.filter { owner == nil || $0.owner == owner } }
  }

  private func remove(_ key: Int) {
    shared.withLock { shared in
      shared.listeners[key] = nil
      guard shared.listeners.isEmpty else { return }
      shared.feeding?.task.cancel()
      shared.feeding = nil
    }
  }

  private func feed(_ source: @escaping Source, number: Int) -> Task<Void, Never> {
    Task {
      await source { [weak self] in self?.yield($0) }
      // Streams that began after this task was cancelled have a task of their own.
      guard shared.withLock({ $0.feeding?.number == number }) else { return }
      finish()
    }
  }
}
