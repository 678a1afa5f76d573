/// The settings of a store, shared by all its replicas.
///
/// Each setting is an LWW register.
public struct StoreSettings: Hashable, Sendable {
  /// The time at which a person's day begins.
  ///
  /// An earlier time counts towards the previous day.
  public var dayStart: TimeOfDay
  /// The quiet hours in local time, or nil for none.
  ///
  /// A schedule's ``QuietPolicy`` determines what happens to its notifications in quiet hours.
  public var quietHours: DayWindow?
  /// The number of civil days to plan, including today, 1...400.
  public var horizonDays: Int
  /// The time without an event after which another device takes over: 1 to 8,760 whole hours.
  ///
  /// A part of an hour is dropped.
  public var staleAfter: Duration {
    get { .seconds(staleHours * 3_600) }
    set { staleHours = newValue.wholeSeconds / 3_600 }
  }
  package var staleHours: Int
  /// The rule for combining many notifications into a digest, or nil for no digests.
  public var digest: DigestRule?
  /// Whether the last place in the system's list goes to a request to open the app when the
  /// coverage ends.
  public var asksToOpen: Bool
  /// The number of days after a "no" on the app's own screen before the person may be asked again,
  /// 1...365.
  ///
  /// The number doubles with each "no".
  public var primingDays: Int

  /// Creates settings.
  ///
  /// The default values are those of a store without any changed setting.
  package init(
    dayStart: TimeOfDay = .midnight, quietHours: DayWindow? = nil, horizonDays: Int = 8,
    staleHours: Int = 48, digest: DigestRule? = nil, asksToOpen: Bool = false,
    primingDays: Int = 14
  ) {
    self.dayStart = dayStart
    self.quietHours = quietHours
    self.horizonDays = horizonDays
    self.staleHours = staleHours
    self.digest = digest
    self.asksToOpen = asksToOpen
    self.primingDays = primingDays
  }

  /// The valid numbers of hours.
  package static let staleHoursLimits = 1...8_760
  /// The valid numbers of days.
  package static let primingDaysLimits = 1...365
}

/// The rule for combining notifications of one group into a digest: more than ``count`` within
/// ``period``.
public struct DigestRule: Hashable, Sendable, TextCodable {
  /// The number of notifications that do not yet form a digest, 1...100.
  public let count: Int
  package let seconds: Int
  /// The length of the period in whole seconds, from a minute to a day.
  public var period: Duration { .seconds(seconds) }

  /// Creates a rule, or returns nil if a value is out of range.
  ///
  /// A part of a second is dropped.
  public init?(moreThan count: Int, within period: Duration) {
    let seconds = period.wholeSeconds
    guard Self.counts.contains(count), Limit.repeatSeconds.contains(seconds) else { return nil }
    self.count = count
    self.seconds = seconds
  }

  /// The valid numbers of notifications.
  package static let counts = 1...100

  /// Parses a text such as `3/300s`, or returns nil if the text is not a valid rule.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasSuffix("s"), let count = Int(digits: parts[0]),
      let seconds = Int(digits: parts[1].dropLast())
    else { return nil }
    self.init(moreThan: count, within: .seconds(seconds))
  }

  /// The text form, such as `3/300s`.
  public var description: String { "\(count)/\(seconds)s" }
}
