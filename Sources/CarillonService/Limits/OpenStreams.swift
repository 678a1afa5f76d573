#if Service
import CarillonDocuments
import HTTPTypes
import Metrics
import Synchronization

/// The long answers of one kind that are open, up to a maximum number.
final class OpenStreams: Sendable {
  private let maxCount: Int
  private let noun: String
  private let setting: String
  private let count = Atomic(0)
  private let gauge: Gauge

  /// - Parameters:
  ///   - noun: What one is called.
  ///   - setting: The name of the limit.
  init(maxCount: Int, noun: String, setting: String, _ gauge: Gauge) {
    (self.maxCount, self.noun, self.setting, self.gauge) = (maxCount, noun, setting, gauge)
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
        detail: "the limit of \(maxCount.counted(noun)) is reached",
        hint: "close a \(noun), or set the limit \(setting)", retryAfter: 5)
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
