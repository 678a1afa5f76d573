/// Limits that several payloads share.
package enum Limit {
  /// The maximum number of bytes of a short text, such as a title or the name of a source.
  package static let maxShortBytes: Int64 = 200
  /// The maximum number of bytes of a long text, such as a note.
  package static let maxLongBytes: Int64 = 2_000
  /// The durations in seconds of a snooze, and between two notifications of an interval: a minute
  /// to 365 days.
  package static let seconds: ClosedRange<Int64> = 60...31_536_000
  /// The time in seconds between two repeats of a notification, and the period of a digest: a
  /// minute to a day.
  package static let repeatSeconds = 60...86_400

  static func text(
    _ text: String?, _ range: ClosedRange<Int>, _ field: String
  ) throws(ModelError) {
    guard let count = text?.utf8.count, !range.contains(count) else { return }
    throw .invalid(
      field,
      "has \(count) bytes of UTF-8; "
        + "from \(range.lowerBound) to \(range.upperBound) are allowed")
  }

  static func count(
    _ count: Int, _ range: ClosedRange<Int>, _ field: String
  ) throws(ModelError) {
    guard !range.contains(count) else { return }
    throw .invalid(
      field, "\(count) is out of range; from \(range.lowerBound) to \(range.upperBound) is allowed")
  }
}
