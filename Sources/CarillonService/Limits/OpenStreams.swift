#if Service
import CarillonDocuments
import HTTPTypes
import Metrics
import Synchronization

/// The long answers of one kind that are open, up to a maximum number; one credential has at most
/// half of them.
final class OpenStreams: Sendable {
  private let noun: String
  private let setting: String
  private let shares: Mutex<Shares>
  private let gauge: Gauge

  /// - Parameters:
  ///   - noun: What one is called.
  ///   - setting: The name of the limit.
  init(maxCount: Int, noun: String, setting: String, _ gauge: Gauge) {
    (self.noun, self.setting, self.gauge) = (noun, setting, gauge)
    shares = Mutex(Shares(maxCount: maxCount))
  }

  /// One open stream; it is closed when it is released.
  final class Stream: Sendable {
    private let streams: OpenStreams
    private let credential: String?

    fileprivate init(_ streams: OpenStreams, _ credential: String?) {
      (self.streams, self.credential) = (streams, credential)
    }

    deinit {
      streams.close(credential)
    }
  }

  /// Opens a stream.
  ///
  /// - Parameter credential: The credential that opens it; nil for the owner.
  /// - Throws: ``Problem`` `tooMany`.
  func open(for credential: String?) throws(Problem) -> Stream {
    do throws(Shares.Refusal) {
      let total = try shares.withLock { shares throws(Shares.Refusal) in
        try shares.take(1, for: credential)
        return shares.total
      }
      gauge.record(total)
      return Stream(self, credential)
    } catch {
      switch error {
      case .isFull(let limit): throw refusal(limit.counted(noun))
      case .hasShare(let limit): throw refusal("\(limit.counted(noun)) of one device")
      }
    }
  }

  private func refusal(_ limit: String) -> Problem {
    Problem(
      .tooManyRequests, code: "tooMany", detail: "the limit of \(limit) is reached",
      hint: "close a \(noun), or set the limit \(setting)", retryAfter: 5)
  }

  private func close(_ credential: String?) {
    let total = shares.withLock { shares in
      shares.give(1, of: credential)
      return shares.total
    }
    gauge.record(total)
  }
}
#endif
