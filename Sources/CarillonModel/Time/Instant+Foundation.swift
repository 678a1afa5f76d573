public import Foundation

extension Instant {
  /// Creates the instant nearest to a date, limited to the range of its raw value.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    self.init(
      milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? Int64.min : Int64.max))
  }
}

extension Date {
  /// Creates the date equal to an instant.
  public init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}

extension CivilDate {
  /// Creates a date from the year, month and day of components; nil if one is missing, or if the
  /// month has no such day.
  ///
  /// Components of another calendar than the Gregorian return nil.
  public init?(_ components: DateComponents) {
    let calendar = components.calendar?.identifier ?? .gregorian
    guard calendar == .gregorian || calendar == .iso8601, let year = components.year,
      let month = components.month, let day = components.day
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

extension DateComponents {
  /// Creates the year, month and day of a date in the Gregorian calendar.
  public init(_ date: CivilDate) {
    let (year, month, day) = date.components
    self.init(year: year, month: month, day: day)
  }
}
