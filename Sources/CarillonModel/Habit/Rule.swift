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
  /// A repetition every ``seconds`` seconds, starting at an instant.
  ///
  /// An occurrence is identified by its UTC date and minute. Two occurrences in one minute are
  /// therefore the same.
  public struct Interval: Hashable, Sendable {
    /// The number of seconds between occurrences, 60...31,536,000.
    public var seconds: Int
    /// The first occurrence.
    public var from: Instant
    /// The local times at which the interval fires, in the schedule's zone, or nil for all day.
    public var window: DayWindow?

    /// Creates a value from its parts.
    public init(seconds: Int, from: Instant, window: DayWindow? = nil) {
      self.seconds = seconds
      self.from = from
      self.window = window
    }
  }
}

extension Schedule {
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
    /// The duration of one occurrence of the base in elapsed minutes, 0...44,640.
    public var durationMinutes: Int
    /// Whether the offset counts from the start or the end of the base's occurrence.
    public var edge: Edge
    /// The number of seconds from the edge, -31,536,000...31,536,000.
    ///
    /// A negative number is before the edge.
    public var offsetSeconds: Int
    /// The number of repeats after the first occurrence, 0...100.
    public var repeatCount: Int
    /// The number of seconds between repeats: 60...86,400, or 0 without repeats.
    public var repeatSeconds: Int

    /// Creates a value from its parts.
    public init(
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
