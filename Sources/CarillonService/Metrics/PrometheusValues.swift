#if Service
import Metrics
import Synchronization

/// The value of an instrument, as lines of Prometheus text.
protocol PrometheusValue: AnyObject, Sendable {
  /// Appends the lines of the value.
  ///
  /// - Parameter dimensions: The dimensions, such as `route="/v1/sync"`; empty for none.
  func write(_ label: String, _ dimensions: String, to text: inout String)
}

/// A number that only grows.
final class PrometheusCounter: PrometheusValue, CounterHandler {
  private let count = Atomic<Int64>(0)

  func increment(by amount: Int64) { count.add(amount, ordering: .relaxed) }

  func reset() { count.store(0, ordering: .relaxed) }

  func write(_ label: String, _ dimensions: String, to text: inout String) {
    text.append(label, dimensions, "\(count.load(ordering: .relaxed))")
  }
}

/// The newest of several numbers.
final class PrometheusGauge: PrometheusValue, RecorderHandler, MeterHandler {
  private let value = Mutex(0.0)

  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }

  func write(_ label: String, _ dimensions: String, to text: inout String) {
    let value = value.withLock { $0 }
    text.append(label, dimensions, value.isNaN ? "NaN" : "\(value)")
  }
}

/// Counts numbers by their size; those of a timer are seconds.
final class PrometheusHistogram: PrometheusValue, RecorderHandler, TimerHandler {
  private struct Values {
    /// The number of values up to each bound, and of those above all bounds.
    var counts = [Int](repeating: 0, count: bounds.count + 1)
    var sum = 0.0
  }

  /// The upper bounds, which suit the seconds of a request.
  private static let bounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  private let values = Mutex(Values())

  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func record(_ value: Double) {
    let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
    values.withLock { values in
      values.counts[place] += 1
      values.sum += value
    }
  }

  func write(_ label: String, _ dimensions: String, to text: inout String) {
    let values = values.withLock { $0 }
    let separator = dimensions.isEmpty ? "" : ","
    var count = 0
    for (bound, more) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], values.counts) {
      count += more
      text.append("\(label)_bucket", "\(dimensions)\(separator)le=\"\(bound)\"", "\(count)")
    }
    text.append("\(label)_sum", dimensions, "\(values.sum)")
    text.append("\(label)_count", dimensions, "\(count)")
  }
}

extension String {
  /// Appends the line of one value.
  fileprivate mutating func append(_ label: String, _ dimensions: String, _ value: String) {
    self += label + (dimensions.isEmpty ? "" : "{\(dimensions)}") + " \(value)\n"
  }
}
#endif
