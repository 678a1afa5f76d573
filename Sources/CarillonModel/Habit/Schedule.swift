/// One reminder of a habit: a rule with its times, a zone, a condition and content.
///
/// An edit replaces the schedule whole, since rule and times must agree.
public struct Schedule: Hashable, Sendable, Identifiable {
  /// Names the schedule on every replica.
  public let id: ScheduleID
  /// On which dates.
  public var rule: Rule
  /// When on each date, ascending and without repeats; at most 24.
  ///
  /// Empty: the habit is due on the rule's dates, but nothing reminds of it. Also empty where the
  /// rule names times itself: an interval, a place, and a recurrence that begins at a time.
  public private(set) var times: [TimeOfDay]
  /// Whose civil time it keeps.
  public var zone: ScheduleZone
  /// When the reminder stays silent.
  public var unless: Condition
  /// How often is enough, for ``Condition/quota``; nil: the habit's goal, in rolling days.
  public var quota: Quota?
  /// Silent when an entry's time lies in so many seconds before it fires, it included; nil: never.
  ///
  /// 60...31,536,000.
  public var doneWithinSeconds: Int?
  /// What becomes of it in quiet hours.
  public var quietPolicy: QuietPolicy
  /// After how many days without activity the reminders stop; 0 is never, nil is the default: 7 for
  /// a schedule with a condition, else never.
  ///
  /// At most 3,650.
  public var stopAfterDays: Int?
  /// What the reminder shows.
  public var content: Content
  /// Groups notifications; nil is the habit.
  ///
  /// At most 200 bytes.
  public var thread: String?
  /// Fields of the payload that this build does not know, as they came; they are kept in edits.
  package var unknownFields: [UInt8] = []

  /// Makes a value of its parts.
  public init(
    id: ScheduleID = .random(), rule: Rule, times: [TimeOfDay], zone: ScheduleZone = .floating,
    unless: Condition = .none, quota: Quota? = nil, doneWithinSeconds: Int? = nil,
    quietPolicy: QuietPolicy = .deferred, stopAfterDays: Int? = nil, content: Content = Content(),
    thread: String? = nil
  ) {
    self.id = id
    self.rule = rule
    self.times = Set(times).sorted()
    self.zone = zone
    self.unless = unless
    self.quota = quota
    self.doneWithinSeconds = doneWithinSeconds
    self.quietPolicy = quietPolicy
    self.stopAfterDays = stopAfterDays
    self.content = content
    self.thread = thread
  }

  /// Replaces the times; equal times are one.
  public mutating func setTimes(_ times: [TimeOfDay]) {
    self.times = Set(times).sorted()
  }

  /// The most times a schedule may have.
  public static let maxTimes = 24
}

/// Whether a schedule's times follow the device or stay with a zone.
public enum ScheduleZone: Hashable, Sendable {
  /// Civil time wherever the device is.
  case floating
  /// Civil time in one zone, by its name in the IANA database; at most 64 bytes.
  case fixed(String)
}

/// What a notification shows.
///
/// Where a text is nil, the habit's own stands in.
public struct Content: Hashable, Sendable {
  /// At most 200 bytes.
  public var title: String?
  /// At most 1,000 bytes.
  public var body: String?
  /// The name of a sound; at most 200 bytes.
  public var sound: String?
  /// How much the notification may interrupt; nil is the system's default.
  public var level: InterruptionLevel?
  /// Handed to the app with the notification; at most 16 keys, 2,000 bytes together.
  public var data: [String: String]

  /// Makes a value of its parts.
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

/// How much a notification may interrupt what the person does.
public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable, Codable {
  /// It is added to the list, without light or sound.
  case passive
  /// It lights the screen and may sound.
  case active
  /// It is shown at once, also while the person is not to be disturbed.
  case timeSensitive
  /// It sounds whatever the switches say; the system grants it to few apps.
  case critical
}

extension Schedule {
  /// Every day at these times.
  public static func daily(at times: [TimeOfDay], unless: Condition = .none) -> Schedule {
    weekly(on: Set(Weekday.allCases), at: times, unless: unless)
  }

  /// These days of every week, at these times.
  public static func weekly(
    on days: Set<Weekday>, at times: [TimeOfDay], unless: Condition = .none
  ) -> Schedule {
    Schedule(rule: .weekly(days), times: times, unless: unless)
  }

  /// Every n-th day from a date on, at these times.
  public static func every(
    days: Int, from anchor: CivilDate, at times: [TimeOfDay], unless: Condition = .none
  ) -> Schedule {
    Schedule(rule: .everyDays(days, from: anchor), times: times, unless: unless)
  }

  /// Once.
  public static func once(_ moment: CivilDateTime, unless: Condition = .none) -> Schedule {
    Schedule(rule: .once(moment.date), times: [moment.time], unless: unless)
  }
}
