/// When a repeating request fires, in a shape that the system repeats by itself.
enum RepeatTrigger: Hashable, CustomStringConvertible {
  case daily(TimeOfDay)
  case weekly(Weekday, TimeOfDay)
  /// On a day that every month has, 1...28.
  case monthly(day: Int, TimeOfDay)
  /// On a date that every year has.
  case yearly(month: Int, day: Int, TimeOfDay)

  /// `daily 07:30`, `weekly 1 07:30` with the ISO weekday, `monthly 15 07:30` or
  /// `yearly 03-15 07:30`.
  var description: String {
    switch self {
    case .daily(let time): "daily \(time)"
    case .weekly(let day, let time): "weekly \(day.rawValue) \(time)"
    case .monthly(let day, let time): "monthly \(day) \(time)"
    case .yearly(let month, let day, let time):
      "yearly \(month.padded(2))-\(day.padded(2)) \(time)"
    }
  }

  /// The last date on which it fires, at or before a date.
  func lastDate(by date: CivilDate) -> CivilDate {
    let (year, month, day) = date.components
    switch self {
    case .daily: return date
    case .weekly(let wanted, _):
      return date.adding(days: -((Int(date.weekday.rawValue) - Int(wanted.rawValue) + 7) % 7))
    case .monthly(let wanted, _):
      let back = wanted > day ? 1 : 0
      let before = month > back ? (year, month - back) : (year - 1, 12)
      return CivilDate(year: before.0, month: before.1, day: wanted) ?? date
    case .yearly(let wantedMonth, let wanted, _):
      let isAhead = (wantedMonth, wanted) > (month, day)
      return CivilDate(year: isAhead ? year - 1 : year, month: wantedMonth, day: wanted) ?? date
    }
  }
}
