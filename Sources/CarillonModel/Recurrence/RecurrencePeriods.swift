/// The periods of a rule, numbered from 0 for the period of the start, and their instances.
///
/// Instances are civil minutes since 1970-01-01T00:00, as if every day had 1,440 minutes; dates are
/// days since 1970-01-01.
struct RecurrencePeriods {
  let rule: RecurrenceRule
  /// The first minute that can be an instance.
  let start: Int
  /// The start's month and day of the month.
  private let startMonth: Int
  private let startMonthDay: Int
  /// The weekdays for WEEKLY, ignoring ordinals: one bit per day, the lowest for Monday.
  private let weekdays: UInt8
  /// The origin from which periods count: a day, the first day of a week, a month, or a year.
  private let origin: Int
  /// The minutes of the day, ascending.
  private let times: [Int]

  init(_ rule: RecurrenceRule, start: CivilDateTime) {
    self.rule = rule
    self.start = start.civilMinutes
    let (year, month, day) = start.date.components
    startMonth = month
    startMonthDay = day
    times = rule.times(startingAt: start.time).map { Int($0.minute) }
    let named = rule.days.map(\.weekday)
    weekdays = (named.isEmpty && rule.frequency == .weekly ? [start.date.weekday] : named)
      .reduce(0) { $0 | 1 << ($1.rawValue - 1) }
    switch rule.frequency {
    case .daily: origin = Int(start.date.rawValue)
    case .weekly:
      let back = (Int(start.date.weekday.rawValue) - Int(rule.weekStart.rawValue) + 7) % 7
      origin = Int(start.date.rawValue) - back
    case .monthly: origin = Self.monthNumber(year, month)
    case .yearly: origin = year
    }
  }

  /// Whether all periods after the first have the same number of instances.
  var isSteady: Bool {
    switch rule.frequency {
    case .daily: rule.months.isEmpty && rule.monthDays.isEmpty && rule.days.isEmpty
    case .weekly: rule.months.isEmpty
    case .monthly, .yearly: false
    }
  }

  /// Returns the first period, at least 0, that does not end before a minute.
  func index(atOrAfter minute: Int) -> Int {
    let day = max(minute, start).flooredQuotient(by: 1_440)
    let date = CivilDate(rawValue: Int32(clamping: day))
    let unit =
      switch rule.frequency {
      case .daily: day - origin
      case .weekly: (day - origin).flooredQuotient(by: 7)
      case .monthly: Self.monthNumber(date.components.year, date.components.month) - origin
      case .yearly: date.components.year - origin
      }
    return (unit + rule.interval - 1) / rule.interval
  }

  /// Returns the first day of a period, or nil if it is after the last accepted date.
  func firstDay(of index: Int) -> Int? {
    let unit = unit(of: index)
    let day =
      switch rule.frequency {
      case .daily, .weekly: unit
      case .monthly: MonthRange(number: unit)?.first
      case .yearly: MonthRange(number: unit * 12)?.first
      }
    return day.flatMap { $0 <= Recurrence.accepted.upperBound.rawValue ? $0 : nil }
  }

  /// Returns the instances of a period that are not before the start, ascending and distinct.
  func instances(in index: Int) -> [Int] {
    let days = days(in: index)
    let all =
      rule.setPositions.isEmpty
      ? days.flatMap { day in times.map { day * 1_440 + $0 } }
      : positions(among: days.count * times.count).map { minute(at: $0, of: days) }
    return all.filter { $0 >= start }
  }

  /// Returns the number of instances of a period that begins after the start.
  func count(in index: Int) -> Int {
    let count = dayCount(in: index) * times.count
    return rule.setPositions.isEmpty ? count : positions(among: count).count
  }

  /// Returns the first instance on given days at or after a minute, which must not be before the
  /// start.
  func first(of days: [Int], atOrAfter minute: Int) -> Int? {
    if !rule.setPositions.isEmpty {
      return positions(among: days.count * times.count).lazy
        .map { self.minute(at: $0, of: days) }.first { $0 >= minute }
    }
    let wanted = minute.flooredQuotient(by: 1_440)
    for day in days where day >= wanted {
      if let time = times.first(where: { day * 1_440 + $0 >= minute }) { return day * 1_440 + time }
    }
    return nil
  }

  /// Returns the days of a period, ascending.
  func days(in index: Int) -> [Int] {
    let unit = unit(of: index)
    return switch rule.frequency {
    case .daily: isNamed(day: unit) ? [unit] : []
    case .weekly: daysOfWeek(from: unit)
    case .monthly: MonthRange(number: unit).map(self.days) ?? []
    case .yearly: daysOfYear(unit)
    }
  }

  // MARK: - Positions

  /// Returns the indices that BYSETPOS selects from `count` instances, ascending and distinct.
  private func positions(among count: Int) -> [Int] {
    var places: [Int] = []
    for position in rule.setPositions {
      let place = position > 0 ? position - 1 : count + position
      if (0..<count).contains(place), !places.contains(place) { places.append(place) }
    }
    return places.sorted()
  }

  private func minute(at position: Int, of days: [Int]) -> Int {
    days[position / times.count] * 1_440 + times[position % times.count]
  }

  // MARK: - Dates of a period

  private static func monthNumber(_ year: Int, _ month: Int) -> Int { year * 12 + month - 1 }

  private func unit(of index: Int) -> Int {
    origin + index * rule.interval * (rule.frequency == .weekly ? 7 : 1)
  }

  /// Whether a day matches BYMONTH, BYMONTHDAY and BYDAY; ordinals are ignored.
  private func isNamed(day: Int) -> Bool {
    if !rule.days.isEmpty, weekdays & 1 << UInt8(Self.weekday(of: day)) == 0 { return false }
    guard !rule.months.isEmpty || !rule.monthDays.isEmpty else { return true }
    let (year, month, monthDay) = CivilDate(rawValue: Int32(clamping: day)).components
    guard rule.months.isEmpty || rule.months.contains(month) else { return false }
    guard !rule.monthDays.isEmpty else { return true }
    let fromEnd = monthDay - 1 - CivilDate.dayCount(ofMonth: month, in: year)
    return rule.monthDays.contains(monthDay) || rule.monthDays.contains(fromEnd)
  }

  private func daysOfWeek(from first: Int) -> [Int] {
    (first..<first + 7).filter { day in
      guard weekdays & 1 << UInt8(Self.weekday(of: day)) != 0 else { return false }
      guard !rule.months.isEmpty else { return true }
      return rule.months.contains(CivilDate(rawValue: Int32(clamping: day)).components.month)
    }
  }

  private func dayCount(in index: Int) -> Int {
    switch rule.frequency {
    case .daily: isNamed(day: unit(of: index)) ? 1 : 0
    case .monthly: MonthRange(number: unit(of: index)).map { bits(of: $0).nonzeroBitCount } ?? 0
    case .weekly, .yearly: days(in: index).count
    }
  }

  private func daysOfYear(_ year: Int) -> [Int] {
    guard rule.months.isEmpty, !rule.days.isEmpty else {
      return (rule.months.isEmpty ? [startMonth] : rule.months)
        .compactMap { MonthRange(number: Self.monthNumber(year, $0)) }.flatMap(days)
    }
    guard let january = MonthRange(number: Self.monthNumber(year, 1)) else { return [] }
    let count = CivilDate.dayCount(ofMonth: 2, in: year) + 337
    let places = rule.days.flatMap { self.places(of: $0, from: january.first, count: count) }
    return Set(places).sorted().map { january.first + $0 }
  }

  private func days(of range: MonthRange) -> [Int] {
    let bits = bits(of: range)
    return (0..<range.count).filter { bits & 1 << UInt32($0) != 0 }.map { range.first + $0 }
  }

  /// Returns the days of a month that match BYMONTH, BYMONTHDAY and BYDAY, as bits with the first
  /// day lowest.
  ///
  /// If neither BYMONTHDAY nor BYDAY is given, the start's day of the month is used.
  private func bits(of range: MonthRange) -> UInt32 {
    guard rule.months.isEmpty || rule.months.contains(range.month) else { return 0 }
    var bits = (UInt32(1) << UInt32(range.count)) - 1
    if !rule.monthDays.isEmpty || rule.days.isEmpty {
      bits &= monthDayBits(count: range.count)
    }
    if !rule.days.isEmpty {
      bits &= rule.days.reduce(0) { bits, day in
        places(of: day, from: range.first, count: range.count).reduce(bits) { $0 | 1 << UInt32($1) }
      }
    }
    return bits
  }

  private func monthDayBits(count: Int) -> UInt32 {
    if rule.monthDays.isEmpty { return 1 << UInt32(startMonthDay - 1) }
    return rule.monthDays.reduce(0) {
      let place = $1 > 0 ? $1 - 1 : count + $1
      return place < 0 ? $0 : $0 | 1 << UInt32(place)
    }
  }

  /// Returns the day indices in a month or year that an entry of BYDAY selects.
  private func places(
    of day: RecurrenceRule.Day, from first: Int, count: Int
  ) -> StrideTo<Int> {
    let ahead = (Int(day.weekday.rawValue) - 1 - Self.weekday(of: first) + 7) % 7
    if day.ordinal == 0 { return stride(from: ahead, to: count, by: 7) }
    let last = ahead + (count - 1 - ahead) / 7 * 7
    let place = day.ordinal > 0 ? ahead + (day.ordinal - 1) * 7 : last + (day.ordinal + 1) * 7
    return stride(from: place, to: place < 0 ? place : min(place + 1, count), by: 7)
  }

  /// Returns the weekday of a day, from 0 for Monday to 6 for Sunday.
  private static func weekday(of day: Int) -> Int { day + 3 - (day + 3).flooredQuotient(by: 7) * 7 }
}

/// The days of a month.
private struct MonthRange {
  let month: Int
  /// The first day, in days since 1970-01-01.
  let first: Int
  let count: Int

  /// Creates the month with a number: 12 times the year, plus 0 for January; nil after the year
  /// 9999.
  init?(number: Int) {
    let year = number.flooredQuotient(by: 12)
    month = number - year * 12 + 1
    guard let date = CivilDate(year: year, month: month, day: 1) else { return nil }
    first = Int(date.rawValue)
    count = CivilDate.dayCount(ofMonth: month, in: year)
  }
}

extension CivilDateTime {
  /// Civil minutes since 1970-01-01T00:00, as if every day had 1,440 minutes.
  var civilMinutes: Int { Int(date.rawValue) * 1_440 + Int(time.minute) }

  /// Creates the date and time of civil minutes since 1970-01-01T00:00.
  init(civilMinutes: Int) {
    let day = civilMinutes.flooredQuotient(by: 1_440)
    self.init(
      date: CivilDate(rawValue: Int32(clamping: day)),
      time: TimeOfDay(clampingMinute: civilMinutes - day * 1_440))
  }
}
