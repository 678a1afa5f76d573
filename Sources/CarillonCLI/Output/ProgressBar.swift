import CarillonDocuments
import Synchronization

/// A line on standard error with the progress, speed and remaining time of a long verb.
///
/// Nothing is printed if standard error is not a terminal.
final class ProgressBar: Sendable {
  private struct Line {
    var lastDrawn: ContinuousClock.Instant?
    var isVisible = false
  }

  private let label: String
  private let unit: String
  private let terminal: Terminal
  private let start = ContinuousClock.now
  /// Guards the line on the terminal, since several threads report progress.
  private let line = Mutex(Line())

  init(_ label: String, unit: String = "events", isQuiet: Bool) {
    self.label = label
    self.unit = unit
    terminal = isQuiet ? .none : .standardError
  }

  /// Redraws the line, at most 10 times a second.
  func update(_ done: UInt64, of total: UInt64?) {
    guard let width = terminal.width else { return }
    line.withLock { line in
      let now = ContinuousClock.now
      if let last = line.lastDrawn, now - last < .milliseconds(100), done != total { return }
      line.lastDrawn = now
      line.isVisible = true
      let text = ProgressText(
        label: label, unit: unit, done: done, total: total, elapsed: now - start)
      draw("\r" + text.rendered(width: width - 1) + "\u{1B}[K")
    }
  }

  /// Clears the line.
  func finish() {
    line.withLock { line in
      guard line.isVisible else { return }
      line.isVisible = false
      draw("\r\u{1B}[K")
    }
  }

  /// Writes to the terminal; the work continues if the terminal is gone.
  private func draw(_ text: String) {
    _ = try? ByteOutput.standardError.write(text)
  }
}

/// The text of a progress line.
struct ProgressText {
  let label: String
  let unit: String
  let done: UInt64
  let total: UInt64?
  let elapsed: Duration

  private var seconds: Double {
    Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
  }

  /// Returns a line such as `rebuilding ████░░░░ 52%  12,000 of 23,000 events  40,000/s  1 s left`.
  func rendered(width: Int) -> String {
    let rate = seconds > 0.2 ? min(Double(done) / seconds, 1e15) : 0
    let speed = rate >= 1 ? "  \(UInt64(rate).grouped)/s" : ""
    guard let total, total > 0 else {
      return "\(label)  \(done.grouped) \(unit)\(speed)".truncated(to: width)
    }
    let share = min(1, Double(done) / Double(total))
    let left = rate >= 1 && done < total ? "  " + Self.left(Double(total - done) / rate) : ""
    let figures =
      " \(Int(share * 100))%  \(done.grouped) of \(total.grouped) \(unit)\(speed)\(left)"
    let room = min(30, width - label.displayWidth - figures.displayWidth - 1)
    guard room >= 5 else { return (label + figures).truncated(to: width) }
    let filled = Int(share * Double(room))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    return "\(label) \(bar)\(figures)"
  }

  private static func left(_ seconds: Double) -> String {
    guard seconds < 360_000 else { return "days left" }
    let whole = Int(seconds.rounded(.up))
    return switch whole {
    case ..<90: "\(whole) s left"
    case ..<5400: "\(whole / 60) min left"
    default: "\(whole / 3600) h left"
    }
  }
}
