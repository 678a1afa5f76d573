/// When a repeating request fires, in a shape that the system repeats by itself.
enum RepeatTrigger: Hashable, CustomStringConvertible {
  case daily(TimeOfDay)
  case weekly(Weekday, TimeOfDay)
  /// On a day that every month has, 1...28.
  case monthly(day: Int, TimeOfDay)
  /// On a date that every year has.
  case yearly(month: Int, day: Int, TimeOfDay)
  /// Elapsed time, whatever the clocks do.
  case every(seconds: Int)
  /// Whenever the border of a place is crossed.
  case place(Region)

  /// `daily 07:30`, `weekly 1 07:30` with the ISO weekday, `monthly 15 07:30`,
  /// `yearly 03-15 07:30`, `every 3600`, or `place 52520000,13405000,200 entry`.
  var description: String {
    switch self {
    case .daily(let time): "daily \(time)"
    case .weekly(let day, let time): "weekly \(day.rawValue) \(time)"
    case .monthly(let day, let time): "monthly \(day) \(time)"
    case .yearly(let month, let day, let time):
      "yearly \(month.padded(2))-\(day.padded(2)) \(time)"
    case .every(let seconds): "every \(seconds)"
    case .place(let place):
      "place \(place.latitude),\(place.longitude),\(place.radius) \(place.crossing.rawValue)"
    }
  }

  /// Whether it speaks of civil time, which is that of a zone.
  var isCivil: Bool {
    switch self {
    case .daily, .weekly, .monthly, .yearly: true
    case .every, .place: false
    }
  }

  /// The last date on which it fires, at or before a date; that date where it may fire on any.
  func lastDate(by date: CivilDate) -> CivilDate {
    let (year, month, day) = date.components
    switch self {
    case .daily, .every, .place: return date
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
