/// The parts of a long scan, each of which is read in a snapshot of its own, so that the scan does
/// not keep the writers from using the space of old snapshots again.
package struct ScanPieces {
  private var next: UInt64
  /// The scan's end: that of the first snapshot.
  ///
  /// Later ones hold the same events.
  private var last: UInt64?

  /// The most events that are read in one snapshot.
  private static let eventCount: UInt64 = 65_536

  /// - Parameter first: The first number to be read.
  package init(from first: UInt64) {
    next = first
  }

  /// Whether all is read.
  package var isDone: Bool { last.map { next > $0 } ?? false }

  /// The next numbers to be read; nil where there are none.
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
