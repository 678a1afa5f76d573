import Foundation
import Synchronization

/// Measures, on a separate thread, how much the process's anonymous memory grows.
///
/// Anonymous memory is not backed by a file, so the pages of the mapped log do not count.
final class MemoryWatch: Sendable {
  private let before = MemoryWatch.anonymousMegabytes()
  private let peak = Mutex(0.0)
  private let isOver = Atomic(false)

  /// Starts measuring, fifty times a second.
  init() {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        look()
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  /// Stops measuring.
  ///
  /// - Returns: The greatest growth, in megabytes.
  func end() -> Double {
    isOver.store(true, ordering: .relaxed)
    look()
    return peak.withLock { $0 }
  }

  private func look() {
    let grown = Self.anonymousMegabytes() - before
    peak.withLock { $0 = max($0, grown) }
  }

  /// Returns the anonymous memory; 0 if the system does not report it.
  private static func anonymousMegabytes() -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { Double($0.filter(\.isNumber)) }.map { $0 / 1024 } ?? 0
  }
}
