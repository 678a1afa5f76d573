/// One notification that the system is asked to deliver.
public struct NotificationRequest: Hashable, Sendable, Identifiable {
  /// The request's ID: a prefix and 16 base32 characters.
  ///
  /// The prefix is `c1.` for one occurrence, `c1r.` for a repeating request, `c1d.` for a digest
  /// and `c1o.` for the request to open the app.
  ///
  /// The ID is a pure function of the request's subject and equal on every replica. See the article
  /// "How reminders are planned".
  public let id: String
  /// The habit of the notification.
  ///
  /// For a digest, the habit of its first member.
  public let habit: HabitID
  /// The schedule whose rule and time define the request.
  public let schedule: ScheduleID
  /// The displayed content.
  public let content: RequestContent
  /// The instant at which the request fires next, or nil for a place.
  public let fireAt: Instant?
  /// The civil date and time of the next occurrence.
  ///
  /// For an interval, as the clock in the schedule's zone shows it. For a place, the first minute
  /// of today.
  public let nominal: CivilDateTime
  /// The civil date and time that identify the next occurrence.
  ///
  /// Equal to ``nominal``, except for an interval, where they are in UTC.
  package let identity: CivilDateTime
  /// The revision of the next occurrence, which receipts of the request record.
  package let revision: String
  /// The other occurrences that this request represents and whose receipts it shares: the ones that
  /// quiet hours defer, and the members of a digest.
  package let alsoCovers: [OccurrenceID]
  /// When the system delivers the request.
  ///
  /// A time that does not repeat is the one after the gap rule. For an interval or a snooze, whose
  /// instant does not follow the device's clocks, the zone is `UTC`.
  public let trigger: RequestTrigger
  /// The first 16 hex digits of a SHA-256 over trigger and content.
  ///
  /// It changes if either changes.
  ///
  /// For an interval, the hash also covers its phase. A new start therefore changes the fingerprint
  /// only if it moves the instants.
  public let fingerprint: String

  package init(
    id: String, habit: HabitID, schedule: ScheduleID, content: RequestContent, fireAt: Instant?,
    nominal: CivilDateTime, identity: CivilDateTime? = nil,
    revision: String = ReceiptSubject.firstRevision, alsoCovers: [OccurrenceID] = [],
    trigger: RequestTrigger, fingerprint: String
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
    self.trigger = trigger
    self.fingerprint = fingerprint
  }

  /// Whether the system repeats the request by itself.
  public var repeats: Bool { trigger.repeats }

  /// Whether the request is for an occurrence.
  ///
  /// True for every request except the request to open the app.
  package var isForOccurrence: Bool { !id.utf8.starts(with: RequestID.Kind.openApp.rawValue.utf8) }

  /// The request's own occurrence, as receipts record it.
  public var occurrence: OccurrenceID {
    OccurrenceID(habit: habit, schedule: schedule, nominal: identity, revision: revision)
  }
}

/// The displayed content of a request, with defaults from the habit filled in.
public struct RequestContent: Hashable, Sendable, Codable {
  /// The first line.
  public var title: String
  /// The text below the title.
  public var body: String?
  /// The name of the sound, or nil for no sound.
  public var sound: String?
  /// How much the notification may interrupt, or nil for the system's default.
  public var level: InterruptionLevel?
  /// The thread that groups notifications.
  ///
  /// The habit's ID if the schedule names none.
  public var thread: String
  /// Data passed to the app with the notification.
  public var data: [String: String]

  /// Creates a value from its parts.
  package init(
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
