/// A recurrence prepared for searching: COUNT and UNTIL are converted to the last instances of the
/// rules.
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
    /// A rule continues, but has no instance in ``maxEmptyPeriods`` periods or up to the last
    /// accepted date, or only excluded ones.
    case tooSparse
  }

  /// The number of consecutive empty periods, or excluded instances, after which a search stops.
  static let maxEmptyPeriods = 10_000

  private let rules: [RuleExpansion]
  private let excludedRules: [RuleExpansion]
  /// Additional instances in civil minutes, ascending.
  private let additions: [Int]
  /// The last minute that a search examines.
  private let last: Int
  private let exceptedDays: Set<Int>
  private let exceptedMinutes: Set<Int>

  /// Prepares a recurrence by finding the last instances of its rules.
  ///
  /// - Parameter last: The last date that a search examines; nil for all.
  /// - Complexity: O(1) per rule, or O(periods) and at most about 10 ms for a rule with COUNT whose
  ///   periods have varying numbers of instances.
  init(of recurrence: Recurrence, through last: CivilDate? = nil) {
    let end = last.map(Self.end) ?? .max
    let expand = { (rule: RecurrenceRule) in
      RuleExpansion(rule, start: recurrence.start.dateTime, zone: recurrence.zone, through: end)
    }
    self.last = end
    rules = recurrence.rules.map(expand)
    excludedRules = recurrence.excludedRules.map(expand)
    let added = recurrence.additions + (rules.isEmpty ? [recurrence.start] : [])
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
  ///
  /// - Parameter last: The last date of interest, beyond which nothing is searched; nil for all.
  func first(onOrAfter moment: CivilDateTime, through last: CivilDate? = nil) -> CivilDateTime? {
    var known = Known()
    let end = last.map(Self.end) ?? .max
    guard case .found(let minute) = search(from: moment.civilMinutes, through: end, known: &known)
    else { return nil }
    return CivilDateTime(civilMinutes: minute)
  }

  /// Returns the first date with an instance, at or after a date; nil if none is found.
  func first(onOrAfter date: CivilDate, through last: CivilDate? = nil) -> CivilDate? {
    first(onOrAfter: CivilDateTime(date: date, time: .midnight), through: last)?.date
  }

  /// The last minute of a date.
  private static func end(of date: CivilDate) -> Int { Int(date.rawValue) * 1_440 + 1_439 }

  /// Whether a date has an instance.
  func contains(_ date: CivilDate) -> Bool { first(onOrAfter: date, through: date) == date }

  /// Whether a moment is an instance.
  func contains(_ moment: CivilDateTime) -> Bool {
    first(onOrAfter: moment, through: moment.date) == moment
  }

  /// Whether the rule continues after a moment, but so sparsely that no instance is found.
  func isTooSparse(from moment: CivilDateTime) -> Bool {
    search(from: moment.civilMinutes) == .tooSparse
  }

  /// Finds the first instance at or after a civil minute.
  func search(from minute: Int) -> Search {
    var known = Known()
    return search(from: minute, known: &known)
  }

  /// The results of the rules alone for an earlier minute.
  ///
  /// Most recurrences have one rule, so the first is stored apart from the others.
  struct Known {
    private var first: Search?
    private var others: [Search?] = []

    fileprivate subscript(index: Int) -> Search? {
      get { index == 0 ? first : index <= others.count ? others[index - 1] : nil }
      set {
        if index == 0 {
          first = newValue
        } else {
          while others.count < index { others.append(nil) }
          others[index - 1] = newValue
        }
      }
    }
  }

  /// Finds the first instance at or after a civil minute.
  ///
  /// - Parameters:
  ///   - wanted: The last minute of interest, which is the same in all searches with `known`.
  ///   - known: What earlier searches of ascending minutes found, which may save another search of
  ///     a rule; updated by this search.
  func search(from minute: Int, through wanted: Int = .max, known: inout Known) -> Search {
    let last = min(last, wanted)
    var from = minute
    var excludedCount = 0
    // Each exception is skipped once, and excluded instances are counted, so this terminates.
    while true {
      let added = additions.first { $0 >= from }.map(Search.found)
      let found = Self.earlier(searchRules(from: from, through: last, &known), added)
      guard case .found(let next) = found else { return found }
      guard next <= last else { return .ended }
      let day = next.flooredQuotient(by: 1_440)
      if exceptedDays.contains(day) {
        from = (day + 1) * 1_440
      } else if exceptedMinutes.contains(next) {
        from = next + 1
      } else if excludedRules.contains(where: { $0.contains(next) }) {
        from = next + 1
        excludedCount += 1
        if excludedCount == Self.maxEmptyPeriods { return .tooSparse }
      } else {
        return .found(next)
      }
    }
  }

  /// Returns the earliest instance of any rule.
  private func searchRules(
    from minute: Int, through last: Int, _ known: inout Known
  ) -> Search {
    var result = Search.ended
    for (index, rule) in rules.enumerated() {
      let found =
        Self.stillValid(known[index], from: minute) ?? rule.search(from: minute, through: last)
      known[index] = found
      result = Self.earlier(result, found)
    }
    return result
  }

  /// Returns a rule's result for an earlier minute, unless it lies before `minute`.
  private static func stillValid(_ search: Search?, from minute: Int) -> Search? {
    if case .found(let found) = search, found < minute { nil } else { search }
  }

  private static func earlier(_ left: Search, _ right: Search?) -> Search {
    switch (left, right) {
    case (.found(let first), .found(let second)): .found(min(first, second))
    case (.found, _), (.tooSparse, .ended), (_, nil): left
    case (_, let other?): other
    }
  }
}

/// The instances of a recurrence from a moment on, ascending and distinct.
package struct RecurrenceInstances: Sequence, IteratorProtocol, Sendable {
  private let expansion: RecurrenceExpansion
  private var from: Int
  private var known = RecurrenceExpansion.Known()

  init(_ expansion: RecurrenceExpansion, from moment: CivilDateTime) {
    self.expansion = expansion
    from = moment.civilMinutes
  }

  /// The next instance, or nil after the last.
  package mutating func next() -> CivilDateTime? {
    guard case .found(let minute) = expansion.search(from: from, known: &known) else { return nil }
    from = minute + 1
    return CivilDateTime(civilMinutes: minute)
  }
}
