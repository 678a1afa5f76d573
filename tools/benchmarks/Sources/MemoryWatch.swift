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
  ///
  /// It is what is resident without what is shared with files. The longer report of the system
  /// would take a hundredth of a row's time.
  private static func anonymousMegabytes() -> Double {
    let counts = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = counts.split(separator: " ").prefix(3).compactMap { Double($0) }
    return pages.count == 3 ? (pages[1] - pages[2]) * Double(getpagesize()) / 1_048_576 : 0
  }
}
