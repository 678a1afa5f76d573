/// The periods of a rule, numbered from 0 for the period of the start, and their instances.
///
/// Instances are civil minutes since 1970-01-01T00:00, as if every day had 1,440 minutes; dates are
/// days since 1970-01-01.
///
/// HOURLY and MINUTELY have a period for each day: their hours and minutes are the day's times.
struct RecurrencePeriods {
  let rule: RecurrenceRule
  /// The first minute that can be an instance.
  let start: Int
  /// The start's month and day of the month.
  private let startMonth: Int
  private let startMonthDay: Int
  /// The weekdays, ignoring ordinals: one bit per day, the lowest for Monday.
  private let weekdays: UInt8
  /// The origin from which periods count: a day, the first day of a week, a month, or a year.
  private let origin: Int
  /// The days, weeks, months or years from one period to the next.
  private let interval: Int
  /// BYSETPOS; empty if ``times`` already consists of the selected ones.
  private let setPositions: [Int]
  /// The minutes of the day that instances can have, ascending.
  private let times: [Int]

  init(_ rule: RecurrenceRule, start: CivilDateTime) {
    self.rule = rule
    self.start = start.civilMinutes
    let (year, month, day) = start.date.components
    startMonth = month
    startMonthDay = day
    times = rule.times(startingAt: start.time).map { Int($0.minute) }
    let named = rule.days.map(\.weekday)
    weekdays = (named.isEmpty && rule.usesWeekdayOfStart ? [start.date.weekday] : named)
      .reduce(0) { $0 | 1 << ($1.rawValue - 1) }
    interval = rule.minutesOfPeriod == nil ? rule.interval : 1
    setPositions = rule.minutesOfPeriod == nil ? rule.setPositions : []
    switch rule.frequency {
    case .minutely, .hourly, .daily: origin = Int(start.date.rawValue)
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
    case .minutely, .hourly, .daily:
      rule.months.isEmpty && rule.yearDays.isEmpty && rule.monthDays.isEmpty && rule.days.isEmpty
        && !rule.hasVaryingTimes
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
      case .minutely, .hourly, .daily: day - origin
      case .weekly: (day - origin).flooredQuotient(by: 7)
      case .monthly: Self.monthNumber(date.components.year, date.components.month) - origin
      case .yearly: date.components.year - origin
      }
    return (unit + interval - 1) / interval
  }

  /// Whether a minute is an instance.
  func contains(_ minute: Int) -> Bool {
    guard minute >= start else { return false }
    return first(in: index(atOrAfter: minute), atOrAfter: minute) == minute
  }

  /// Returns the first day of a period, or nil if it is after the last accepted date.
  func firstDay(of index: Int) -> Int? {
    let unit = unit(of: index)
    let day =
      switch rule.frequency {
      case .minutely, .hourly, .daily, .weekly: unit
      case .monthly: MonthRange(number: unit)?.first
      case .yearly: MonthRange(number: unit * 12)?.first
      }
    return day.flatMap { $0 <= Recurrence.accepted.upperBound.rawValue ? $0 : nil }
  }

  /// Returns the instances of a period that are not before the start, ascending and distinct.
  func instances(in index: Int) -> [Int] {
    let days = days(in: index)
    let all =
      setPositions.isEmpty
      ? days.flatMap { day in times(on: day).map { day * 1_440 + $0 } }
      : rule.places(among: days.count * times.count).map { minute(at: $0, of: days) }
    return all.filter { $0 >= start }
  }

  /// Returns the number of instances of a period that begins after the start.
  func count(in index: Int) -> Int {
    if rule.hasVaryingTimes { return days(in: index).reduce(0) { $0 + times(on: $1).count } }
    let count = dayCount(in: index) * times.count
    return setPositions.isEmpty ? count : rule.places(among: count).count
  }

  /// Returns the first instance of a period at or after a minute, which must not be before the
  /// start.
  func first(in index: Int, atOrAfter minute: Int) -> Int? {
    guard setPositions.isEmpty else {
      let days = days(in: index)
      return rule.places(among: days.count * times.count).lazy
        .map { self.minute(at: $0, of: days) }.first { $0 >= minute }
    }
    switch rule.frequency {
    case .minutely, .hourly, .daily:
      let day = unit(of: index)
      return isNamed(day: day) ? first(on: day, atOrAfter: minute) : nil
    case .weekly, .monthly, .yearly:
      return days(in: index).lazy.compactMap { first(on: $0, atOrAfter: minute) }.first
    }
  }

  /// Returns the days of a period, ascending.
  func days(in index: Int) -> [Int] {
    let unit = unit(of: index)
    return switch rule.frequency {
    case .minutely, .hourly, .daily: isNamed(day: unit) ? [unit] : []
    case .weekly: daysOfWeek(from: unit)
    case .monthly: MonthRange(number: unit).map(self.days) ?? []
    case .yearly: daysOfYear(unit)
    }
  }

  // MARK: - Times

  /// Returns the minutes of a day, ascending.
  private func times(on day: Int) -> [Int] {
    guard rule.hasVaryingTimes, let length = rule.minutesOfPeriod else { return times }
    let step = length * rule.interval
    // The first period of the rule that starts on the day or later.
    let ahead = start - start.modulo(length) - day * 1_440
    let reached = stride(from: ahead.modulo(step), to: 1_440, by: step)
    if times.count * length < 1_440 / rule.interval {
      return times.filter { ($0 - $0 % length - ahead).isMultiple(of: step) }
    }
    return reached.flatMap { first in
      times[times.firstPlace(of: first)..<times.firstPlace(of: first + length)]
    }
  }

  /// Returns the first instance on a day of the rule at or after a minute, or nil if there is none.
  ///
  /// - Complexity: O(log times); if the times vary, for each period of the rule that has none.
  private func first(on day: Int, atOrAfter minute: Int) -> Int? {
    let varying = rule.hasVaryingTimes ? rule.minutesOfPeriod : nil
    var place = times.firstPlace(of: minute - day * 1_440)
    while place < times.count {
      guard let length = varying else { return day * 1_440 + times[place] }
      let period = times[place] - times[place] % length
      let start = start - start.modulo(length) - day * 1_440
      let behind = (period - start).modulo(length * rule.interval)
      if behind == 0 { return day * 1_440 + times[place] }
      place = times.firstPlace(of: period - behind + length * rule.interval)
    }
    return nil
  }

  private func minute(at position: Int, of days: [Int]) -> Int {
    days[position / times.count] * 1_440 + times[position % times.count]
  }

  // MARK: - Dates of a period

  private static func monthNumber(_ year: Int, _ month: Int) -> Int { year * 12 + month - 1 }

  private func unit(of index: Int) -> Int {
    origin + index * interval * (rule.frequency == .weekly ? 7 : 1)
  }

  /// Whether a day matches BYMONTH, BYYEARDAY, BYMONTHDAY and BYDAY; ordinals are ignored.
  private func isNamed(day: Int) -> Bool {
    if !rule.days.isEmpty, weekdays & 1 << UInt8(Self.weekday(of: day)) == 0 { return false }
    guard !rule.months.isEmpty || !rule.monthDays.isEmpty || !rule.yearDays.isEmpty else {
      return true
    }
    let (year, month, monthDay) = CivilDate(rawValue: Int32(clamping: day)).components
    guard rule.months.isEmpty || rule.months.contains(month) else { return false }
    guard rule.yearDays.isEmpty || isYearDay(day, of: CivilYear(year)) else { return false }
    guard !rule.monthDays.isEmpty else { return true }
    let fromEnd = monthDay - 1 - CivilDate.dayCount(ofMonth: month, in: year)
    return rule.monthDays.contains(monthDay) || rule.monthDays.contains(fromEnd)
  }

  private func isYearDay(_ day: Int, of year: CivilYear) -> Bool {
    let place = day - year.first
    return rule.yearDays.contains(place + 1) || rule.yearDays.contains(place - year.count)
  }

  /// Whether a day is in a week of BYWEEKNO.
  ///
  /// A week belongs to the year that has at least four of its days.
  private func isInNamedWeek(_ day: Int) -> Bool {
    let ahead = (Self.weekday(of: day) - Int(rule.weekStart.rawValue) + 8) % 7
    let middle = day - ahead + 3
    let year = CivilYear(CivilDate(rawValue: Int32(clamping: middle)).components.year)
    let number = (middle - year.first) / 7 + 1
    let count = (year.count - 1 - (middle - year.first) % 7) / 7 + 1
    return rule.weekNumbers.contains(number) || rule.weekNumbers.contains(number - count - 1)
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
    case .minutely, .hourly, .daily: isNamed(day: unit(of: index)) ? 1 : 0
    case .monthly: MonthRange(number: unit(of: index)).map { bits(of: $0).nonzeroBitCount } ?? 0
    case .weekly, .yearly: days(in: index).count
    }
  }

  private func daysOfYear(_ year: Int) -> [Int] {
    if !rule.weekNumbers.isEmpty || !rule.yearDays.isEmpty
      || (rule.months.isEmpty && !rule.monthDays.isEmpty)
    {
      return limitedDays(of: CivilYear(year))
    }
    guard rule.months.isEmpty, !rule.days.isEmpty else {
      return (rule.months.isEmpty ? [startMonth] : rule.months)
        .compactMap { MonthRange(number: Self.monthNumber(year, $0)) }.flatMap(days)
    }
    let range = CivilYear(year)
    let places = rule.days.flatMap { self.places(of: $0, from: range.first, count: range.count) }
    return Set(places).sorted().map { range.first + $0 }
  }

  /// Returns the days of a year that match all of BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY and
  /// BYDAY.
  private func limitedDays(of year: CivilYear) -> [Int] {
    let hasOrdinals = rule.days.contains { $0.ordinal != 0 }
    let ofYear =
      hasOrdinals && rule.months.isEmpty
      ? Set(rule.days.flatMap { places(of: $0, from: year.first, count: year.count) }) : nil
    return (rule.months.isEmpty ? Array(1...12) : rule.months).flatMap { month in
      guard let range = MonthRange(number: Self.monthNumber(year.number, month)) else {
        return [Int]()
      }
      var bits = rule.monthDays.isEmpty ? range.allBits : monthDayBits(count: range.count)
      if hasOrdinals, ofYear == nil { bits &= weekdayBits(of: range) }
      return days(of: range, bits).filter { day in
        (weekdays == 0 || hasOrdinals || weekdays & 1 << UInt8(Self.weekday(of: day)) != 0)
          && (ofYear?.contains(day - year.first) ?? true)
          && (rule.yearDays.isEmpty || isYearDay(day, of: year))
          && (rule.weekNumbers.isEmpty || isInNamedWeek(day))
      }
    }
  }

  private func days(of range: MonthRange) -> [Int] { days(of: range, bits(of: range)) }

  private func days(of range: MonthRange, _ bits: UInt32) -> [Int] {
    (0..<range.count).filter { bits & 1 << UInt32($0) != 0 }.map { range.first + $0 }
  }

  /// Returns the days of a month that match BYMONTH, BYMONTHDAY and BYDAY, as bits with the first
  /// day lowest.
  ///
  /// If neither BYMONTHDAY nor BYDAY is given, the start's day of the month is used.
  private func bits(of range: MonthRange) -> UInt32 {
    guard rule.months.isEmpty || rule.months.contains(range.month) else { return 0 }
    var bits = range.allBits
    if !rule.monthDays.isEmpty || rule.days.isEmpty {
      bits &= monthDayBits(count: range.count)
    }
    if !rule.days.isEmpty { bits &= weekdayBits(of: range) }
    return bits
  }

  private func weekdayBits(of range: MonthRange) -> UInt32 {
    rule.days.reduce(0) { bits, day in
      places(of: day, from: range.first, count: range.count).reduce(bits) { $0 | 1 << UInt32($1) }
    }
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
  private static func weekday(of day: Int) -> Int { (day + 3).modulo(7) }
}

/// The days of a year from 0 to 9999.
private struct CivilYear {
  let number: Int
  /// The first day, in days since 1970-01-01.
  let first: Int
  let count: Int

  init(_ number: Int) {
    self.number = number
    first = CivilDate(year: number, month: 1, day: 1).map { Int($0.rawValue) } ?? 0
    count = CivilDate.dayCount(ofMonth: 2, in: number) + 337
  }
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

  /// All days, as bits with the first day lowest.
  var allBits: UInt32 { (UInt32(1) << UInt32(count)) - 1 }
}

extension Int {
  /// Returns the remainder of a division by a positive number, at least 0.
  fileprivate func modulo(_ divisor: Int) -> Int {
    self - flooredQuotient(by: divisor) * divisor
  }
}

extension [Int] {
  /// Returns the index of the first element that is at least a value, in an ascending list.
  fileprivate func firstPlace(of value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension RecurrenceRule {
  /// Whether the weekday of the start is used because no part names a day.
  fileprivate var usesWeekdayOfStart: Bool {
    switch frequency {
    case .weekly: true
    case .yearly: !weekNumbers.isEmpty && yearDays.isEmpty && monthDays.isEmpty
    case .minutely, .hourly, .daily, .monthly: false
    }
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
