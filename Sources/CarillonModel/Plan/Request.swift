/// One notification that the system is asked to show.
public struct Request: Hashable, Sendable, Identifiable {
  /// A prefix and 16 base32 characters: `c1.` for one occurrence, `c1r.` for a repeating request,
  /// `c1d.` for a digest, `c1o.` for the request to open the app.
  ///
  /// A pure function of what it is of, equal on every replica (`notes` in the article "How
  /// reminders are planned").
  public let id: String
  /// The habit that it reminds of; of a digest its first member's.
  public let habit: HabitID
  /// The schedule whose rule and time it comes from.
  public let schedule: ScheduleID
  /// What it shows.
  public let content: RequestContent
  /// When it fires next; nil for a place.
  public let fireAt: Instant?
  /// The civil date and time of the next occurrence; of an interval as the schedule's clock shows
  /// it, of a place the first minute of today.
  public let nominal: CivilDateTime
  /// The civil date and time by which that occurrence is named: the nominal one, but of an interval
  /// that of UTC.
  public let identity: CivilDateTime
  /// Under which revision that occurrence is shown: what receipts of the request name.
  public let revision: String
  /// The other occurrences for which it stands, and which are receipted with it: those that quiet
  /// hours put off, and the members of a digest.
  public let alsoCovers: [OccurrenceID]
  /// Whether the system repeats it by itself.
  public let repeats: Bool
  /// `at 2026-11-23T17:00` after the gap rule, or for a repeating one `daily 07:30`,
  /// `weekly 1 07:30`, `monthly 15 07:30`, `yearly 03-15 07:30`, `every 3600`,
  /// `place 52520000,13405000,200 entry`.
  ///
  /// Behind civil times stands a blank and the zone's name where it is fixed, or `UTC` where the
  /// instant does not follow the device's clocks: of an interval and of a snooze.
  public let trigger: String
  /// The first 16 hex digits of a SHA-256 over trigger and content: tells what changed.
  ///
  /// Of what repeats every so many seconds, also over when it began, as far as that moves its
  /// instants.
  public let fingerprint: String

  package init(
    id: String, habit: HabitID, schedule: ScheduleID, content: RequestContent, fireAt: Instant?,
    nominal: CivilDateTime, identity: CivilDateTime? = nil,
    revision: String = ReceiptSubject.firstRevision, alsoCovers: [OccurrenceID] = [],
    repeats: Bool, trigger: String, fingerprint: String
  ) {
    self.id = id
    self.habit = habit
    self.schedule = schedule
    self.content = content
    self.fireAt = fireAt
    self.nominal = nominal
    self.identity = identity ?? nominal
    self.revision = revision
    self.alsoCovers = alsoCovers
    self.repeats = repeats
    self.trigger = trigger
    self.fingerprint = fingerprint
  }

  /// Whether it stands for an occurrence: all do but the request to open the app.
  public var stands: Bool { !id.utf8.starts(with: RequestID.Kind.openApp.rawValue.utf8) }

  /// Its own occurrence, as receipts name it.
  public var occurrence: OccurrenceID {
    OccurrenceID(habit: habit, schedule: schedule, nominal: identity, revision: revision)
  }
}

/// What a request shows, with the habit's own texts filled in.
public struct RequestContent: Hashable, Sendable, Codable {
  /// The first line.
  public var title: String
  /// The text below the title.
  public var body: String?
  /// The name of the sound; nil is silent.
  public var sound: String?
  /// How much it may interrupt; nil is the system's default.
  public var level: InterruptionLevel?
  /// Groups notifications; the habit's id where the schedule names none.
  public var thread: String
  /// Handed to the app with the notification.
  public var data: [String: String]

  /// Makes a value of its parts.
  public init(
    title: String, body: String? = nil, sound: String? = nil, level: InterruptionLevel? = nil,
    thread: String, data: [String: String] = [:]
  ) {
    self.title = title
    self.body = body
    self.sound = sound
    self.level = level
    self.thread = thread
    self.data = data
  }
}
