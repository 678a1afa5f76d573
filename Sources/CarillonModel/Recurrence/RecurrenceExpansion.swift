internal import Foundation

/// A recurrence prepared for searching: COUNT and UNTIL are converted to the rule's last instance.
///
/// It is prepared once for many searches. Equal recurrences give equal results if the zone's rules
/// are equal, which matters only for an UNTIL in UTC.
struct RecurrenceExpansion {
  /// The result of a search.
  enum Search: Hashable {
    /// An instance, in civil minutes since 1970-01-01T00:00.
    case found(Int)
    /// There are no more instances, because of COUNT, UNTIL or the last addition.
    case ended
    /// The rule continues, but has no instance in ``maxEmptyPeriods`` periods or up to the last
    /// accepted date.
    case tooSparse
  }

  /// The number of consecutive empty periods after which a search stops.
  static let maxEmptyPeriods = 10_000

  private let periods: RecurrencePeriods?
  /// The last minute at which the rule can have an instance; nil without COUNT and UNTIL.
  private let last: Int?
  /// Additional instances in civil minutes, ascending.
  private let additions: [Int]
  private let exceptedDays: Set<Int>
  private let exceptedMinutes: Set<Int>

  /// Prepares a recurrence by finding the last instance of its rule.
  ///
  /// - Complexity: O(1), or O(periods) and at most about 10 ms for a rule with COUNT whose periods
  ///   have varying numbers of instances.
  init(of recurrence: Recurrence) {
    let start = recurrence.start.dateTime
    let periods = recurrence.rule.map { RecurrencePeriods($0, start: start) }
    self.periods = periods
    last = periods.flatMap { Self.last(of: $0, zone: recurrence.zone) }
    let added = recurrence.additions + (periods == nil ? [recurrence.start] : [])
    additions = Set(added.map(\.dateTime.civilMinutes)).sorted()
    var days: Set<Int> = []
    var minutes: Set<Int> = []
    for exception in recurrence.exceptions {
      switch exception {
      case .date(let date): days.insert(Int(date.rawValue))
      case .dateTime(let dateTime): minutes.insert(dateTime.civilMinutes)
      }
    }
    exceptedDays = days
    exceptedMinutes = minutes
  }

  /// Returns the first instance at or after a moment, or nil if none is found.
  func first(onOrAfter moment: CivilDateTime) -> CivilDateTime? {
    guard case .found(let minute) = search(from: moment.civilMinutes) else { return nil }
    return CivilDateTime(civilMinutes: minute)
  }

  /// Returns the first date with an instance, at or after a date; nil if none is found.
  func first(onOrAfter date: CivilDate) -> CivilDate? {
    first(onOrAfter: CivilDateTime(date: date, time: .midnight))?.date
  }

  /// Whether a date has an instance.
  func contains(_ date: CivilDate) -> Bool { first(onOrAfter: date) == date }

  /// Whether a moment is an instance.
  func contains(_ moment: CivilDateTime) -> Bool { first(onOrAfter: moment) == moment }

  /// Whether the rule continues after a moment, but so sparsely that no instance is found.
  func isTooSparse(from moment: CivilDateTime) -> Bool {
    search(from: moment.civilMinutes) == .tooSparse
  }

  /// Finds the first instance at or after a civil minute.
  func search(from minute: Int) -> Search {
    var cache: Search?
    return search(from: minute, rule: &cache)
  }

  /// Finds the first instance at or after a civil minute.
  ///
  /// - Parameter rule: The result of the rule alone for an earlier minute, which may save another
  ///   search of the rule; updated by this search.
  func search(from minute: Int, rule: inout Search?) -> Search {
    var from = minute
    // Each exception is skipped once, so this terminates.
    while true {
      let known = Self.stillValid(rule, from: from) ?? searchRule(from: from)
      rule = known
      let addition = additions.first { $0 >= from }.map(Search.found)
      guard case .found(let next) = Self.earlier(known, addition) else { return known }
      let day = next.flooredQuotient(by: 1_440)
      if exceptedDays.contains(day) {
        from = (day + 1) * 1_440
      } else if exceptedMinutes.contains(next) {
        from = next + 1
      } else {
        return .found(next)
      }
    }
  }

  /// Returns the rule's result for an earlier minute, unless it lies before `minute`.
  private static func stillValid(_ search: Search?, from minute: Int) -> Search? {
    if case .found(let found) = search, found < minute { nil } else { search }
  }

  private static func earlier(_ left: Search, _ right: Search?) -> Search {
    guard case .found(let first) = left else { return right ?? left }
    guard case .found(let second) = right else { return left }
    return .found(min(first, second))
  }

  private func searchRule(from minute: Int) -> Search {
    guard let periods else { return .ended }
    let from = max(minute, periods.start)
    let end = min(last ?? .max, Self.lastMinute)
    let none: Search = last == end ? .ended : .tooSparse
    if from > end { return none }
    let first = periods.index(atOrAfter: from)
    for index in first..<first + Self.maxEmptyPeriods {
      guard let day = periods.firstDay(of: index), day * 1_440 <= end else { return none }
      if let found = periods.first(of: periods.days(in: index), atOrAfter: from) {
        return found > end ? none : .found(found)
      }
    }
    return .tooSparse
  }

  /// The last minute of the last accepted date.
  private static let lastMinute = Int(Recurrence.accepted.upperBound.rawValue) * 1_440 + 1_439

  // MARK: - The end

  private static func last(of periods: RecurrencePeriods, zone: String?) -> Int? {
    switch periods.rule.end {
    case .never: nil
    case .untilDate(let date): Int(date.rawValue) * 1_440 + 1_439
    case .until(let moment): moment.civilMinutes
    case .untilUTC(let moment):
      // If the zone is unknown, nothing is planned anyway.
      zone.flatMap(TimeZone.init(identifier:)).map {
        CivilCalendar(zone: $0).dateTime(at: Instant(seconds: moment.civilSeconds)).civilMinutes
      } ?? moment.civilMinutes
    case .count(let count): periods.last(ofCount: count)
    }
  }
}

extension RecurrencePeriods {
  /// Returns the last instance of a rule with COUNT, or nil if there are fewer instances.
  fileprivate func last(ofCount count: Int) -> Int? {
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
    while emptyCount < RecurrenceExpansion.maxEmptyPeriods, firstDay(of: index) != nil {
      let found = self.count(in: index)
      if found >= missing { return instances(in: index)[missing - 1] }
      missing -= found
      emptyCount = found == 0 ? emptyCount + 1 : 0
      index += 1
    }
    return nil
  }
}

/// The instances of a recurrence from a moment on, ascending and distinct.
package struct RecurrenceInstances: Sequence, IteratorProtocol, Sendable {
  private let expansion: RecurrenceExpansion
  private var from: Int
  private var rule: RecurrenceExpansion.Search?

  init(_ expansion: RecurrenceExpansion, from moment: CivilDateTime) {
    self.expansion = expansion
    from = moment.civilMinutes
  }

  /// The next instance, or nil after the last.
  package mutating func next() -> CivilDateTime? {
    guard case .found(let minute) = expansion.search(from: from, rule: &rule) else { return nil }
    from = minute + 1
    return CivilDateTime(civilMinutes: minute)
  }
}
