/// The limits that several payloads share.
enum Limit {
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

  static func date(_ date: CivilDate, _ field: String) throws(ModelError) {
    guard !CivilDate.accepted.contains(date) else { return }
    throw .invalid(
      field,
      "day \(date.rawValue) is out of range; dates from \(CivilDate.accepted.lowerBound) "
        + "to \(CivilDate.accepted.upperBound) are allowed")
  }

  static func instant(_ instant: Instant?, _ field: String) throws(ModelError) {
    guard let instant, !(0..<(1 << 45)).contains(instant.milliseconds) else { return }
    throw .invalid(field, "must be after 1970 and before 2^45 ms (the year 3084)")
  }
}
