/// The parts of a long scan.
///
/// Each part is read in its own snapshot, so that the scan does not keep writers from reusing the
/// space of old snapshots.
package struct ScanPieces {
  private var next: UInt64
  /// The end of the scan, taken from the first snapshot.
  ///
  /// Later snapshots contain the same events.
  private var last: UInt64?

  /// The maximum number of events that are read in one snapshot.
  private static let eventCount: UInt64 = 65_536

  /// - Parameter first: The first number to read.
  package init(from first: UInt64) {
    next = first
  }

  /// Whether everything is read.
  package var isDone: Bool { last.map { next > $0 } ?? false }

  /// Returns the next range of numbers to read; nil if there is none.
  ///
  /// - Parameter last: The last number in this snapshot.
  package mutating func piece(upTo last: UInt64?) -> ClosedRange<UInt64>? {
    guard let last = self.last ?? last, next <= last else { return nil }
    self.last = last
    let stop = min(last, next + Self.eventCount - 1)
    defer { next = stop + 1 }
    return next...stop
  }
}
