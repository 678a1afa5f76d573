/// The settings of a store, which all its replicas share: each an LWW register.
public struct StoreSettings: Hashable, Sendable {
  /// When a person's day begins: what is due before it counts to the day before.
  public var dayStart: TimeOfDay
  /// The local times at which nothing may fire; nil: none.
  public var quietHours: DayWindow?
  /// How many civil days are planned, today's among them; 1...400.
  public var horizonDays: Int
  /// After how many hours without a sign of life another device takes over; 1...8,760.
  public var staleHours: Int
  /// When many reminders come as one; nil: never.
  public var digest: DigestRule?
  /// Whether the last place of the system's list asks to open the app when coverage ends.
  public var asksToOpen: Bool
  /// How many days after a "no" on the app's own screen the person may be asked again; 1...365.
  ///
  /// It doubles with each "no".
  public var primingDays: Int

  /// Makes settings, by default those of a store in which none were set.
  public init(
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
}

/// When many reminders of one group come as one: more than so many within so many seconds.
public struct DigestRule: Hashable, Sendable, TextCodable {
  /// 1...100.
  public let count: Int
  /// 60...86,400.
  public let seconds: Int

  /// Makes a rule, or nil where a number is out of range.
  public init?(moreThan count: Int, withinSeconds seconds: Int) {
    guard (1...100).contains(count), (60...86_400).contains(seconds) else { return nil }
    self.count = count
    self.seconds = seconds
  }

  /// Parses `3/300s`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasSuffix("s"), let count = Int(digits: parts[0]),
      let seconds = Int(digits: parts[1].dropLast())
    else { return nil }
    self.init(moreThan: count, withinSeconds: seconds)
  }

  /// `3/300s`.
  public var description: String { "\(count)/\(seconds)s" }
}
