package import CarillonModel
internal import Synchronization

/// The streams that report this process's appends.
package final class AppendStreams: Sendable {
  /// Guards only the listeners.
  private let listeners = Mutex(Listeners())

  private struct Listeners {
    var continuations: [Int: (owner: ObjectIdentifier, AsyncStream<LogPosition>.Continuation)] = [:]
    var nextKey = 0
  }

  package init() {}

  /// Returns a stream of the log's last position after each commit.
  ///
  /// A slow consumer receives only the newest position.
  package func stream(for owner: AnyObject) -> AsyncStream<LogPosition> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LogPosition.self, bufferingPolicy: .bufferingNewest(1))
    let owner = ObjectIdentifier(owner)
    let key = listeners.withLock { listeners in
      defer { listeners.nextKey += 1 }
      listeners.continuations[listeners.nextKey] = (owner, continuation)
      return listeners.nextKey
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: key) }
    }
    return stream
  }

  /// Sends a position to all streams.
  func yield(_ position: LogPosition) {
    for (_, listener) in listeners.withLock({ $0.continuations.values }) {
      listener.yield(position)
    }
  }

  /// Ends the streams of one handle.
  package func finish(for owner: AnyObject) {
    let owner = ObjectIdentifier(owner)
    let ended = listeners.withLock { listeners in
      listeners.continuations.values.filter { $0.owner == owner }
    }
    for (_, listener) in ended { listener.finish() }
  }
}
