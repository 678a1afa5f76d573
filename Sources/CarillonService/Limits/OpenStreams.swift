#if Service
import CarillonDocuments
import HTTPTypes
import Metrics
import Synchronization

/// The streams that are open, up to a maximum number.
final class OpenStreams: Sendable {
  private let maxCount: Int
  private let count = Atomic(0)
  private let gauge: Gauge

  init(maxCount: Int, _ gauge: Gauge) {
    (self.maxCount, self.gauge) = (maxCount, gauge)
  }

  /// One open stream; it is closed when it is released.
  final class Stream: Sendable {
    private let streams: OpenStreams

    fileprivate init(_ streams: OpenStreams) {
      self.streams = streams
    }

    deinit {
      streams.add(-1)
    }
  }

  /// Opens a stream.
  ///
  /// - Throws: ``Problem`` `tooMany`.
  func open() throws(Problem) -> Stream {
    let stream = Stream(self)
    guard add(1) <= maxCount else {
      throw Problem(
        .tooManyRequests, code: "tooMany",
        detail: "the limit of \(maxCount.counted("stream")) is reached",
        hint: "close a stream, or set the limit max-streams", retryAfter: 5)
    }
    return stream
  }

  @discardableResult
  private func add(_ change: Int) -> Int {
    let count = count.add(change, ordering: .relaxed).newValue
    gauge.record(count)
    return count
  }
}
#endif
