import BitCollections

/// A set of dates in a range, with one bit for each date of the range.
struct DateSet {
  private let range: ClosedRange<CivilDate>
  private var bits = BitSet()

  /// Creates a set without dates.
  init(in range: ClosedRange<CivilDate>) {
    self.range = range
  }

  func contains(_ date: CivilDate) -> Bool {
    range.contains(date) && bits.contains(index(date))
  }

  /// Adds a date, if it is in the range.
  mutating func insert(_ date: CivilDate) {
    if range.contains(date) { bits.insert(index(date)) }
  }

  /// Adds the dates of another range that are in the set's range.
  mutating func insert(_ dates: ClosedRange<CivilDate>) {
    guard dates.overlaps(range) else { return }
    let added = dates.clamped(to: range)
    bits.formUnion(index(added.lowerBound)..<index(added.upperBound) + 1)
  }

  mutating func remove(_ date: CivilDate) {
    if range.contains(date) { bits.remove(index(date)) }
  }

  /// Adds the dates of a set with the same range.
  mutating func formUnion(_ other: DateSet) { bits.formUnion(other.bits) }

  /// Removes the dates of a set with the same range.
  mutating func subtract(_ other: DateSet) { bits.subtract(other.bits) }

  private func index(_ date: CivilDate) -> Int { range.lowerBound.days(to: date) }
}
