extension Schedule {
  /// The rule of a schedule: dates, instants, or a place.
  public indirect enum Rule: Hashable, Sendable {
    /// One date.
    case once(CivilDate)
    /// Certain days of every week.
    ///
    /// Never empty. All seven days mean every day.
    case weekly(Set<Weekday>)
    /// Every n-th civil day from an anchor date on, 1...3650.
    case everyDays(Int, from: CivilDate)
    /// The supported subset of RFC 5545.
    case recurrence(Recurrence)
    /// A repetition by elapsed time, independent of changes of the clocks.
    case interval(Schedule.Interval)
    /// A fixed time before or after the start or end of another rule's occurrences.
    case relative(Schedule.Relative)
    /// Entering or leaving a place.
    case place(Schedule.Region)
    /// A rule that this build does not know.
    ///
    /// It is stored unchanged and never planned.
    ///
    /// A known rule with an unknown field is such a rule too, because the field may change its
    /// meaning.
    case unknown(number: UInt32, bytes: [UInt8])
  }
}

extension Schedule {
  /// A repetition at equal intervals, starting at an instant.
  ///
  /// An occurrence is identified by its UTC date and minute. Two occurrences in one minute are
  /// therefore the same.
  public struct Interval: Hashable, Sendable {
    package var seconds: Int
    /// The time between occurrences in whole seconds, from a minute to 365 days.
    public var every: Duration {
      get { .seconds(seconds) }
      set { seconds = newValue.wholeSeconds }
    }
    /// The first occurrence, or the instant before which nothing fires.
    public var from: Instant
    /// The local times at which the interval fires, in the schedule's zone, or nil for all day.
    public var window: DayWindow?
    /// The moments from which the time counts, or nil for a repetition that starts at ``from``.
    package var anchor: Anchor?

    /// The moments from which an interval counts once instead of repeating.
    ///
    /// An occurrence follows each of these moments, unless another of them comes until then.
    package enum Anchor: String, Hashable, Sendable, CaseIterable {
      /// The habit's entries.
      case entry
      /// The habit's entries, and the start less the time, so that the first occurrence is at the
      /// start.
      case entryOrFrom
    }

    /// Creates a value from its parts.
    public init(every: Duration, from: Instant, window: DayWindow? = nil) {
      self.init(seconds: every.wholeSeconds, from: from, window: window)
    }

    package init(
      seconds: Int, from: Instant, window: DayWindow? = nil, anchor: Anchor? = nil
    ) {
      self.seconds = seconds
      self.from = from
      self.window = window
      self.anchor = anchor
    }
  }
}

extension Schedule.Interval {
  /// Returns the occurrences of an interval that counts from entries, ascending.
  ///
  /// - Parameter entries: The times of the entries, in any order.
  func moments(after entries: [Instant]) -> [Instant] {
    let start = anchor == .entryOrFrom ? [from.adding(seconds: -seconds)] : []
    let anchors = (entries + start).sorted()
    return anchors.indices.compactMap { index in
      let moment = anchors[index].adding(seconds: seconds)
      let isLast = index + 1 == anchors.count || anchors[index + 1] > moment
      return isLast && moment >= from ? moment : nil
    }
  }
}

extension Schedule {
  /// Whether the rule is an interval.
  package var isInterval: Bool {
    if case .interval = rule { true } else { false }
  }

  /// Whether the occurrences follow from the habit's entries.
  package var countsFromEntries: Bool {
    if case .interval(let interval) = rule { interval.anchor != nil } else { false }
  }

  /// Returns the first instant at which an entry answers an occurrence, whatever its date; nil if
  /// the schedule does not count from entries.
  ///
  /// The entry from which the occurrence counts does not answer it, but a later one does.
  func firstAnswer(to nominal: CivilDateTime) -> Instant? {
    guard case .interval(let interval) = rule, interval.anchor != nil else { return nil }
    return Instant(seconds: nominal.civilSeconds + 60 - interval.seconds)
  }

  /// A time before or after the occurrences of another rule, like an alarm in a calendar.
  ///
  /// The schedule's times are those of the base. An occurrence is identified by the base's nominal
  /// date and time and by the number of the repeat.
  public struct Relative: Hashable, Sendable {
    /// The point of the base's occurrence from which the offset counts.
    public enum Edge: String, Hashable, Sendable, CaseIterable {
      case start, end
    }

    /// The base rule: `once`, `weekly`, `everyDays` or `recurrence`.
    public var base: Schedule.Rule
    package var durationMinutes: Int
    /// The elapsed time of one occurrence of the base in whole minutes, at most 31 days.
    public var duration: Duration {
      get { .seconds(durationMinutes * 60) }
      set { durationMinutes = newValue.wholeSeconds / 60 }
    }
    /// Whether the offset counts from the start or the end of the base's occurrence.
    public var edge: Edge
    package var offsetSeconds: Int
    /// The time from the edge in whole seconds, at most 365 days; negative before the edge.
    public var offset: Duration {
      get { .seconds(offsetSeconds) }
      set { offsetSeconds = newValue.wholeSeconds }
    }
    /// The number of repeats after the first occurrence, 0...100.
    public var repeatCount: Int
    package var repeatSeconds: Int
    /// The time between repeats in whole seconds: from a minute to a day, or zero without repeats.
    public var repeatInterval: Duration {
      get { .seconds(repeatSeconds) }
      set { repeatSeconds = newValue.wholeSeconds }
    }

    /// Creates a value from its parts.
    public init(
      to base: Schedule.Rule, edge: Edge = .start, offset: Duration, duration: Duration = .zero,
      repeatCount: Int = 0, repeatInterval: Duration = .zero
    ) {
      self.init(
        to: base, edge: edge, offsetSeconds: offset.wholeSeconds,
        durationMinutes: duration.wholeSeconds / 60, repeatCount: repeatCount,
        repeatSeconds: repeatInterval.wholeSeconds)
    }

    package init(
      to base: Schedule.Rule, edge: Edge = .start, offsetSeconds: Int, durationMinutes: Int = 0,
      repeatCount: Int = 0, repeatSeconds: Int = 0
    ) {
      self.base = base
      self.durationMinutes = durationMinutes
      self.edge = edge
      self.offsetSeconds = offsetSeconds
      self.repeatCount = repeatCount
      self.repeatSeconds = repeatSeconds
    }

    /// The maximum number of repeats after the first occurrence.
    package static let maxRepeats = 100
  }
}

extension Schedule {
  /// The number of times at which the schedule fires for each of its dates, at most.
  package var timesPerDate: Int {
    guard case .relative(let relative) = rule else {
      return Nominals(rule, at: times)?.times.count ?? 0
    }
    return (Nominals(relative.base, at: times)?.times.count ?? 0) * (relative.repeatCount + 1)
  }

  /// The maximum of ``timesPerDate``: 24 times with 100 repeats each.
  package static let maxTimesPerDate = 2_424

  /// A circle on the map that the system watches.
  ///
  /// A notification for a place has no time.
  public struct Region: Hashable, Sendable {
    /// The direction in which the border is crossed.
    public enum Crossing: String, Hashable, Sendable, CaseIterable {
      case entry, exit
    }

    /// The latitude in millionths of a degree north, -90,000,000...90,000,000.
    public var latitude: Int32
    /// The longitude in millionths of a degree east, -180,000,000...180,000,000.
    public var longitude: Int32
    /// The radius in metres, 1...100,000.
    public var radius: Int
    /// The direction in which the border is crossed.
    public var crossing: Crossing

    /// Creates a value from its parts.
    public init(latitude: Int32, longitude: Int32, radius: Int, crossing: Crossing = .entry) {
      self.latitude = latitude
      self.longitude = longitude
      self.radius = radius
      self.crossing = crossing
    }
  }
}

extension Schedule.Rule {
  /// Whether the rule names dates, so that another rule can be relative to it.
  package var namesDates: Bool {
    switch self {
    case .once, .weekly, .everyDays, .recurrence: true
    case .interval, .relative, .place, .unknown: false
    }
  }
}
