/// Limits that several payloads share.
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
}
