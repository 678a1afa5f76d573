/// One notification that the system is asked to deliver.
public struct NotificationRequest: Hashable, Sendable, Identifiable {
  /// The request's ID: a pure function of the request's subject, equal on every replica.
  ///
  /// See the article "How reminders are planned".
  public let id: RequestID
  /// The request's own occurrence, as receipts record it.
  ///
  /// For a repeating request, its next occurrence; for a digest, its first member. For the request
  /// to open the app, the first occurrence that would be missed, which it does not represent.
  public let occurrence: OccurrenceID
  /// The other occurrences that this request represents and whose receipts it shares: the ones that
  /// quiet hours defer, and the members of a digest.
  package let alsoRepresents: [OccurrenceID]
  /// The displayed content.
  public let content: RequestContent
  /// The instant at which the request fires next, or nil for a place.
  public let fireAt: Instant?
  /// The civil date and time of the next occurrence.
  ///
  /// For an interval, as the clock in the schedule's zone shows it. For a place, the first minute
  /// of today.
  public let nominal: CivilDateTime
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
    id: RequestID, occurrence: OccurrenceID, alsoRepresents: [OccurrenceID] = [],
    content: RequestContent, fireAt: Instant?, nominal: CivilDateTime, trigger: RequestTrigger,
    fingerprint: String
  ) {
    self.id = id
    self.occurrence = occurrence
    self.alsoRepresents = alsoRepresents
    self.content = content
    self.fireAt = fireAt
    self.nominal = nominal
    self.trigger = trigger
    self.fingerprint = fingerprint
  }

  /// Whether the system repeats the request by itself.
  package var repeats: Bool { trigger.repeats }

  /// Whether the request is for an occurrence.
  ///
  /// True for every request except the request to open the app.
  package var isForOccurrence: Bool { id.kind != .openApp }

  /// The occurrences that the request represents, its own first.
  ///
  /// Empty for the request to open the app.
  public var occurrences: [OccurrenceID] {
    isForOccurrence ? [occurrence] + alsoRepresents : []
  }

  /// The habit of the request's own occurrence.
  package var habit: HabitID { occurrence.habit }

  /// The schedule whose rule and time define the request.
  package var schedule: ScheduleID { occurrence.schedule }
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
