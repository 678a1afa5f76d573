// Initial values for reading.

extension Identifier {
  /// An identifier of sixteen zero bytes, which identifies nothing.
  package static var zero: Self { Self(high: 0, low: 0) }
}

extension CivilDate {
  /// 1970-01-01.
  package static let zero = CivilDate(rawValue: 0)
}

extension CivilDateTime {
  /// 1970-01-01T00:00.
  package static let zero = CivilDateTime(date: .zero, time: .midnight)

  /// Visits a nominal date and time as two fields.
  package mutating func visitFields(
    _ dateNumber: Int, _ timeNumber: Int, _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var (date, time) = (date, time)
    try visitor.required(dateNumber, "date", &date)
    try visitor.defaulted(timeNumber, "time", &time, .midnight, isNamed: true)
    self = CivilDateTime(date: date, time: time)
  }
}
