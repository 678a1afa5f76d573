#if Service
import CarillonDocuments
import HTTPTypes
import Metrics
import Synchronization

/// The long answers of one kind that are open, up to a maximum number; one credential has at most
/// half of them.
final class OpenStreams: Sendable {
  private let maxCount: Int
  private let noun: String
  private let setting: String
  private let counts = Mutex(Counts())
  private let gauge: Gauge

  private struct Counts {
    var total = 0
    var byCredential: [String: Int] = [:]
  }

  /// - Parameters:
  ///   - noun: What one is called.
  ///   - setting: The name of the limit.
  init(maxCount: Int, noun: String, setting: String, _ gauge: Gauge) {
    (self.maxCount, self.noun, self.setting, self.gauge) = (maxCount, noun, setting, gauge)
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
    let share = max(1, maxCount / 2)
    let (total, own) = counts.withLock { counts in
      counts.total += 1
      guard let credential else { return (counts.total, 0) }
      counts.byCredential[credential, default: 0] += 1
      return (counts.total, counts.byCredential[credential, default: 0])
    }
    gauge.record(total)
    // Closes it if it is refused.
    let stream = Stream(self, credential)
    guard total <= maxCount else { throw refusal(maxCount.counted(noun)) }
    guard own <= share else { throw refusal("\(share.counted(noun)) of one device") }
    return stream
  }

  private func refusal(_ limit: String) -> Problem {
    Problem(
      .tooManyRequests, code: "tooMany", detail: "the limit of \(limit) is reached",
      hint: "close a \(noun), or set the limit \(setting)", retryAfter: 5)
  }

  private func close(_ credential: String?) {
    let total = counts.withLock { counts in
      counts.total -= 1
      if let credential {
        let left = counts.byCredential[credential, default: 1] - 1
        counts.byCredential[credential] = left > 0 ? left : nil
      }
      return counts.total
    }
    gauge.record(total)
  }
}
#endif
