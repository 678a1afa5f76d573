#if Service
package import Metrics
import Synchronization

/// Keeps the values of instruments, and writes them as Prometheus text.
///
/// Instruments with the same label and dimensions share a value.
package final class PrometheusMetrics: MetricsFactory {
  /// The instruments with one label.
  private struct Family {
    let kind: String
    /// The values, by the text of their dimensions.
    var values: [String: any PrometheusValue] = [:]
  }

  private let families = Mutex<[String: Family]>([:])

  package init() {}

  /// Returns all values in the text format, version 0.0.4.
  ///
  /// - Parameter help: The descriptions of instruments, by label.
  package func text(help: [String: String] = [:]) -> String {
    let families = families.withLock { $0 }
    var text = ""
    for (label, family) in families.sorted(by: { $0.key < $1.key }) {
      if let help = help[label] { text += "# HELP \(label) \(help)\n" }
      text += "# TYPE \(label) \(family.kind)\n"
      for (dimensions, value) in family.values.sorted(by: { $0.key < $1.key }) {
        value.write(label, dimensions, to: &text)
      }
    }
    return text
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    value("counter", label, dimensions) { PrometheusCounter() }
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else { return value("gauge", label, dimensions) { PrometheusGauge() } }
    return value("histogram", label, dimensions) { PrometheusHistogram() }
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    value("gauge", label, dimensions) { PrometheusGauge() }
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    value("histogram", label, dimensions) { PrometheusHistogram() }
  }

  // The values of a program remain as long as it runs.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  private func value<Value: PrometheusValue>(
    _ kind: String, _ label: String, _ dimensions: [(String, String)], _ make: () -> Value
  ) -> Value {
    let text = dimensions.map { "\($0.prometheusName)=\"\($1.prometheusValue)\"" }
      .joined(separator: ",")
    return families.withLock { families in
      var family = families[label.prometheusName] ?? Family(kind: kind)
      if let held = family.values[text] as? Value { return held }
      precondition(family.values[text] == nil, "\(label) is a \(family.kind), not a \(kind)")
      let value = make()
      family.values[text] = value
      families[label.prometheusName] = family
      return value
    }
  }
}

extension String {
  /// The text with `_` for each character that a name may not have.
  fileprivate var prometheusName: String {
    String(map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  /// The text with the escapes of a label's value.
  fileprivate var prometheusValue: String {
    replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
#endif
