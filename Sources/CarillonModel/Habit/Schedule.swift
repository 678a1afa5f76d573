/// One schedule of a habit: a rule with its times, a zone, a condition and content.
///
/// Edits of different fields merge. Where fields then exclude each other, the rule decides.
public struct Schedule: Hashable, Sendable, Identifiable {
  /// The schedule's ID, equal on every replica.
  public package(set) var id: ScheduleID
  /// The rule that determines the dates.
  public var rule: Schedule.Rule
  /// The times on each date, ascending and distinct, at most 24.
  ///
  /// If empty, the habit is due on the rule's dates without notifications. Also empty if the rule
  /// defines the times itself: for an interval, a place, and a recurrence that starts at a time.
  public private(set) var times: [TimeOfDay]
  /// The zone whose civil time the schedule follows.
  public var zone: ScheduleZone
  /// The conditions that suppress an occurrence.
  public var unless: Schedule.Condition
  /// The quota for ``Schedule/Condition/quota``.
  ///
  /// Nil uses the habit's goal, in rolling days.
  public var quota: Quota?
  package var doneWithinSeconds: Int?
  /// The time from an entry on during which occurrences are suppressed, in whole seconds from a
  /// minute to 365 days; nil for never.
  public var doneWithin: Duration? {
    get { doneWithinSeconds.map { .seconds($0) } }
    set { doneWithinSeconds = newValue?.wholeSeconds }
  }
  /// The treatment of an occurrence in quiet hours.
  public var quietPolicy: QuietPolicy
  /// The number of days without activity after which the schedule stops, at most 3,650.
  ///
  /// 0 means never. Nil means the default: 7 for a schedule with a condition, otherwise never.
  public var stopAfterDays: Int?
  /// The content of the notifications.
  public var content: Schedule.Content
  /// The thread that groups notifications, at most 200 bytes.
  ///
  /// Nil groups them by habit.
  public var thread: String?

  /// Creates a value from its parts.
  ///
  /// Duplicate times are removed.
  public init(
    id: ScheduleID = .random(), rule: Schedule.Rule, times: [TimeOfDay],
    zone: ScheduleZone = .floating,
    unless: Schedule.Condition = .none, quota: Quota? = nil, doneWithin: Duration? = nil,
    quietPolicy: QuietPolicy = .deferred, stopAfterDays: Int? = nil,
    content: Schedule.Content = Schedule.Content(),
    thread: String? = nil
  ) {
    self.id = id
    self.rule = rule
    self.times = Self.distinct(times)
    self.zone = zone
    self.unless = unless
    self.quota = quota
    doneWithinSeconds = doneWithin?.wholeSeconds
    self.quietPolicy = quietPolicy
    self.stopAfterDays = stopAfterDays
    self.content = content
    self.thread = thread
  }

  /// Replaces the times.
  ///
  /// Duplicates are removed.
  public mutating func setTimes(_ times: [TimeOfDay]) {
    self.times = Self.distinct(times)
  }

  /// Returns times in ascending order without duplicates, as most are given.
  private static func distinct(_ times: [TimeOfDay]) -> [TimeOfDay] {
    zip(times, times.dropFirst()).allSatisfy(<) ? times : Set(times).sorted()
  }

  /// The maximum number of times in a schedule.
  package static let maxTimes = 24
}

/// Whether a schedule's times follow the device or a fixed zone.
public enum ScheduleZone: Hashable, Sendable {
  /// Civil time in the device's current zone.
  case floating
  /// Civil time in one zone, given by its IANA name, at most 64 bytes.
  case fixed(String)
}

extension Schedule {
  /// The content of a notification.
  ///
  /// If a text is nil, the habit's own text is used.
  public struct Content: Hashable, Sendable {
    /// The first line, at most 200 bytes.
    public var title: String?
    /// The text below the title, at most 1,000 bytes.
    public var body: String?
    /// The name of a sound, at most 200 bytes.
    public var sound: String?
    /// How much the notification may interrupt, or nil for the system's default.
    public var level: InterruptionLevel?
    /// Data passed to the app with the notification, at most 16 keys and 2,000 bytes in total.
    public var data: [String: String]

    /// The maximum number of keys of the data.
    package static let maxDataKeys = 16
    /// The maximum number of bytes of all keys and values of the data.
    package static let maxDataBytes = 2_000

    /// Creates a value from its parts.
    public init(
      title: String? = nil, body: String? = nil, sound: String? = nil,
      level: InterruptionLevel? = nil, data: [String: String] = [:]
    ) {
      self.title = title
      self.body = body
      self.sound = sound
      self.level = level
      self.data = data
    }
  }
}

/// How much a notification may interrupt what the person is doing.
public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable, Codable {
  /// The notification is added to the list, without light or sound.
  case passive
  /// The notification lights the screen and may sound.
  case active
  /// The notification is delivered immediately, even while the person does not want to be
  /// disturbed.
  case timeSensitive
  /// The notification sounds regardless of the device's switches.
  ///
  /// The system grants this level to few apps.
  case critical
}

extension Schedule {
  /// Returns a schedule for every day at some times.
  public static func daily(at times: [TimeOfDay], unless: Schedule.Condition = .none) -> Schedule {
    weekly(on: Set(Weekday.allCases), at: times, unless: unless)
  }

  /// Returns a schedule for certain days of every week at some times.
  public static func weekly(
    on days: Set<Weekday>, at times: [TimeOfDay], unless: Schedule.Condition = .none
  ) -> Schedule {
    Schedule(rule: .weekly(days), times: times, unless: unless)
  }

  /// Returns a schedule for every n-th day from a date on at some times.
  public static func every(
    days: Int, from anchor: CivilDate, at times: [TimeOfDay], unless: Schedule.Condition = .none
  ) -> Schedule {
    Schedule(rule: .everyDays(days, from: anchor), times: times, unless: unless)
  }

  /// Returns a schedule for one date and time.
  public static func once(_ moment: CivilDateTime, unless: Schedule.Condition = .none) -> Schedule {
    Schedule(rule: .once(moment.date), times: [moment.time], unless: unless)
  }
}
