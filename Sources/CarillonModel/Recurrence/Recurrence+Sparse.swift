extension Recurrence {
  /// Whether the recurrence continues after a moment, but 10,000 of its periods in a row are empty.
  ///
  /// - Complexity: O(1) if there is an instance soon, otherwise O(10,000 periods).
  package func isTooSparse(from moment: CivilDateTime) -> Bool {
    RecurrenceExpansion(of: self).isTooSparse(from: moment)
  }
}
