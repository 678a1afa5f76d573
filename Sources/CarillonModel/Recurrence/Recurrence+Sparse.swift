extension Recurrence {
  /// Whether it goes on after a moment, but so rarely or never that 10,000 of its periods in a row
  /// have no instance.
  ///
  /// - Complexity: O(1) where there is one soon, else O(10,000 periods).
  public func isTooSparse(from moment: CivilDateTime) -> Bool {
    RecurrenceExpansion(of: self).isTooSparse(from: moment)
  }
}
