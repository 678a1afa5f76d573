internal import Foundation

/// A rule of a recurrence prepared for searching.
struct RuleExpansion {
  private let periods: RecurrencePeriods
  /// The last minute at which the rule can have an instance; nil without COUNT and UNTIL.
  private let last: Int?
  /// The last minute that a search examines.
  private let limit: Int

  /// Prepares a rule by finding its last instance.
  ///
  /// - Parameter limit: The last minute that a search examines.
  init(_ rule: RecurrenceRule, start: CivilDateTime, zone: String?, through limit: Int) {
    periods = RecurrencePeriods(rule, start: start)
    self.limit = min(limit, Self.lastMinute)
    last = Self.last(of: periods, zone: zone, through: self.limit)
  }

  /// Finds the first instance at or after a civil minute.
  ///
  /// - Parameter wanted: The last minute of interest.
  func search(from minute: Int, through wanted: Int) -> RecurrenceExpansion.Search {
    let from = max(minute, periods.start)
    let end = min(last ?? .max, limit, wanted)
    let none: RecurrenceExpansion.Search = last == end ? .ended : .tooSparse
    if from > end { return none }
    let first = periods.index(atOrAfter: from)
    for index in first..<first + RecurrenceExpansion.maxEmptyPeriods {
      guard let day = periods.firstDay(of: index), day * 1_440 <= end else { return none }
      if let found = periods.first(in: index, atOrAfter: from) {
        return found > end ? none : .found(found)
      }
    }
    return .tooSparse
  }

  /// Whether a civil minute is an instance.
  ///
  /// - Complexity: That of one period.
  func contains(_ minute: Int) -> Bool {
    minute <= min(last ?? .max, Self.lastMinute) && periods.contains(minute)
  }

  /// The last minute of the last accepted date.
  private static let lastMinute = Int(Recurrence.accepted.upperBound.rawValue) * 1_440 + 1_439

  // MARK: - The end

  private static func last(
    of periods: RecurrencePeriods, zone: String?, through limit: Int
  ) -> Int? {
    switch periods.rule.end {
    case .never: nil
    case .untilDate(let date): Int(date.rawValue) * 1_440 + 1_439
    case .until(let moment): moment.civilMinutes
    case .untilUTC(let moment):
      // If the zone is unknown, nothing is planned anyway.
      zone.flatMap(TimeZone.init(identifier:)).map {
        CivilCalendar(zone: $0).dateTime(at: Instant(seconds: moment.civilSeconds)).civilMinutes
      } ?? moment.civilMinutes
    case .count(let count): periods.last(ofCount: count, through: limit)
    }
  }
}

extension RecurrencePeriods {
  /// Returns the last instance of a rule with COUNT, or nil if there are fewer instances up to a
  /// minute.
  fileprivate func last(ofCount count: Int, through limit: Int) -> Int? {
    let first = instances(in: 0)
    if first.count >= count { return first[count - 1] }
    var missing = count - first.count
    var index = 1
    if isSteady {
      let each = self.count(in: 1)
      guard each > 0 else { return nil }
      index += (missing - 1) / each
      missing -= (index - 1) * each
    }
    var emptyCount = 0
    while emptyCount < RecurrenceExpansion.maxEmptyPeriods, let day = firstDay(of: index),
      day * 1_440 <= limit
    {
      let found = self.count(in: index)
      if found >= missing { return instances(in: index)[missing - 1] }
      missing -= found
      emptyCount = found == 0 ? emptyCount + 1 : 0
      index += 1
    }
    return nil
  }
}
