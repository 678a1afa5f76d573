/// When a schedule reminds: dates, instants, or a place.
public indirect enum Rule: Hashable, Sendable {
  /// One date.
  case once(CivilDate)
  /// These days of every week; never empty. All seven are every day.
  case weekly(Set<Weekday>)
  /// Every n-th day, 1...3650, counted in civil days from an anchor, from the anchor on.
  case everyDays(Int, from: CivilDate)
  /// The subset of RFC 5545 that reminders need.
  case recurrence(Recurrence)
  /// Elapsed time, whatever the clocks do.
  case interval(Interval)
  /// So long before or after the start or end of what another rule names.
  case relative(Relative)
  /// Entering or leaving a place.
  case place(Region)
  /// A rule that this build does not know: kept as it came, and never planned.
  ///
  /// A known rule with a field that this build does not know is such a rule too, since the field
  /// may change its meaning.
  case unknown(number: UInt32, bytes: [UInt8])
}

/// Every so many seconds from an instant on.
///
/// An occurrence is named by its UTC date and minute, so that two in one minute are one.
public struct Interval: Hashable, Sendable {
  /// 60...31,536,000.
  public var seconds: Int
  /// The first of them.
  public var from: Instant
  /// The local times at which it fires, in the schedule's zone; nil: all day.
  public var window: DayWindow?

  /// Makes a value of its parts.
  public init(seconds: Int, from: Instant, window: DayWindow? = nil) {
    self.seconds = seconds
    self.from = from
    self.window = window
  }
}

/// A range before or after the occurrences of another rule, as an alarm of a calendar has it.
///
/// The schedule's times are those of the base. An occurrence is named by the base's nominal date
/// and time and the number of the repeat.
public struct Relative: Hashable, Sendable {
  /// From which end of the base's occurrence the offset counts.
  public enum Edge: String, Hashable, Sendable, CaseIterable {
    case start, end
  }

  /// The rule of what it precedes or follows: `once`, `weekly`, `everyDays` or `recurrence`.
  public var base: Rule
  /// How long one occurrence of the base lasts, in elapsed minutes; 0...44,640.
  public var durationMinutes: Int
  /// From which end it counts.
  public var edge: Edge
  /// Seconds from the edge; negative is before.
  ///
  /// -31,536,000...31,536,000.
  public var offsetSeconds: Int
  /// How often it is repeated after the first; 0...100.
  public var repeatCount: Int
  /// Seconds between repeats; 60...86,400 where there are any, else 0.
  public var repeatSeconds: Int

  /// Makes a value of its parts.
  public init(
    to base: Rule, edge: Edge = .start, offsetSeconds: Int, durationMinutes: Int = 0,
    repeatCount: Int = 0, repeatSeconds: Int = 0
  ) {
    self.base = base
    self.durationMinutes = durationMinutes
    self.edge = edge
    self.offsetSeconds = offsetSeconds
    self.repeatCount = repeatCount
    self.repeatSeconds = repeatSeconds
  }

  /// The most repeats after the first.
  public static let maxRepeats = 100
}

/// A circle on the map that the system watches; such a reminder has no time.
public struct Region: Hashable, Sendable {
  /// Which way the border is crossed.
  public enum Crossing: String, Hashable, Sendable, CaseIterable {
    case entry, exit
  }

  /// Millionths of a degree north; -90,000,000...90,000,000.
  public var latitude: Int32
  /// Millionths of a degree east; -180,000,000...180,000,000.
  public var longitude: Int32
  /// Metres, 1...100,000.
  public var radius: Int
  /// Which way the border is crossed.
  public var crossing: Crossing

  /// Makes a value of its parts.
  public init(latitude: Int32, longitude: Int32, radius: Int, crossing: Crossing = .entry) {
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    self.crossing = crossing
  }
}
