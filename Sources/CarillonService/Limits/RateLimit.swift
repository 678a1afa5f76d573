#if Service
import Synchronization

/// How often each of many may do something: a bucket of permissions for each, which fills with
/// time.
final class RateLimit<Key: Hashable & Sendable>: Sendable {
  /// How many permissions a second fills in.
  private let rate: Double
  /// How many a full bucket has.
  private let burst: Double
  private let buckets = Mutex<[Key: Bucket]>([:])

  private struct Bucket {
    var count: Double
    var time: ContinuousClock.Instant
  }

  /// The most buckets that are kept, so that many addresses do not fill the memory.
  private static var maxBuckets: Int { 10_000 }

  init(rate: Double, burst: Double) {
    (self.rate, self.burst) = (rate, burst)
  }

  /// Takes a permission.
  ///
  /// - Returns: Nil, or the seconds until there is one.
  func take(_ key: Key, at now: ContinuousClock.Instant = .now) -> Int? {
    buckets.withLock { buckets in
      if buckets.count >= Self.maxBuckets, buckets[key] == nil { makeRoom(&buckets, now) }
      let count = buckets[key].map { filled($0, now) } ?? burst
      guard count >= 1 else { return max(1, Int(((1 - count) / rate).rounded(.up))) }
      buckets[key] = Bucket(count: count - 1, time: now)
      return nil
    }
  }

  private func filled(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(burst, bucket.count + bucket.time.duration(to: now) / .seconds(1) * rate)
  }

  /// Removes full buckets, which are as good as none; all of them if that is not enough.
  private func makeRoom(_ buckets: inout [Key: Bucket], _ now: ContinuousClock.Instant) {
    buckets = buckets.filter { filled($0.value, now) < burst }
    if buckets.count >= Self.maxBuckets { buckets = [:] }
  }
}
#endif
