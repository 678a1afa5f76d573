extension RequestTrigger.Shape {
  /// Whether the trigger fires at civil times, which depend on a zone.
  var isCivil: Bool {
    switch self {
    case .at, .daily, .weekly, .monthly, .yearly: true
    case .every, .place: false
    }
  }

  /// Returns the last date, at or before a date, on which the trigger fires.
  ///
  /// Returns that date itself if the trigger may fire on any date.
  func lastDate(by date: CivilDate) -> CivilDate {
    let (year, month, day) = date.components
    switch self {
    case .at(let moment, _): return min(moment.date, date)
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
