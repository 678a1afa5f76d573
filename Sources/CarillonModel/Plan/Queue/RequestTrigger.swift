package import Foundation

/// The trigger of a request: when the system delivers it.
///
/// Its text, in JSON and in the projections, is `at 2026-11-23T17:00`, or with seconds
/// `at 2026-11-23T17:00:30`, `daily 07:30`, `weekly 1 07:30` with the ISO weekday,
/// `monthly 15 07:30`, `yearly 03-15 07:30`, `every 3600` or `place 52520000,13405000,200 entry`. A
/// fixed zone follows after a space.
public struct RequestTrigger: Hashable, Sendable, TextCodable {
  /// The instants at which a trigger fires, without a zone.
  public enum Shape: Hashable, Sendable {
    /// Once, at a second 0...59 of the minute.
    case at(CivilDateTime, second: Int)
    /// Every day.
    case daily(TimeOfDay)
    /// One day of every week.
    case weekly(Weekday, TimeOfDay)
    /// One day of every month, 1...28.
    case monthly(day: Int, TimeOfDay)
    /// One date of every year, never 29 February.
    case yearly(month: Int, day: Int, TimeOfDay)
    /// At a fixed interval of elapsed time, counted from the first instant.
    ///
    /// The interval is at least 60 seconds.
    case every(seconds: Int)
    /// Whenever the border of a place is crossed.
    case place(Schedule.Region)
  }

  /// The instants at which the trigger fires, without the zone.
  public let shape: Shape
  /// The zone whose civil time the trigger follows, or nil for the device's current zone.
  public let zone: String?

  /// Creates a value from its parts.
  package init(_ shape: Shape, zone: String? = nil) {
    self.shape = shape
    self.zone = zone
  }

  /// Parses a trigger's text, or returns nil if the text is not a trigger.
  public init?(_ text: String) {
    // Bytes are compared faster than characters.
    let words = text.utf8.split(
      separator: UInt8(ascii: " "), omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    let count = Self.wordCount(of: words[0])
    guard (count...count + 1).contains(words.count),
      let shape = Shape(words[0], words[1], words[count - 1])
    else { return nil }
    self.init(shape, zone: words.count > count ? words[count] : nil)
    guard zone != "" else { return nil }
  }

  /// The trigger's text.
  public var description: String { zone.map { "\(shape.text) \($0)" } ?? shape.text }

  /// Whether the system repeats the request by itself.
  public var repeats: Bool { if case .at = shape { false } else { true } }

  /// Returns the next instant at which the trigger fires.
  ///
  /// - Parameters:
  ///   - moment: The instant after which to search.
  ///   - deviceZone: The zone used if the trigger follows the device.
  ///   - first: Any instant at which an interval fires, from which the others are counted. Pass
  ///     ``NotificationRequest/fireAt``. Other triggers ignore it.
  /// - Returns: The instant, or nil for a place, for an unknown zone, and if the trigger never
  ///   fires again.
  /// - Complexity: O(days until then).
  package func nextFire(
    after moment: Instant, in deviceZone: TimeZone, countedFrom first: Instant?
  ) -> Instant? {
    nextOccurrence(after: moment, in: deviceZone, countedFrom: first)?.fireAt
  }

  /// Returns the civil date and time that identify the next occurrence, and the instant at which it
  /// fires.
  package func nextOccurrence(
    after moment: Instant, in deviceZone: TimeZone, countedFrom first: Instant?
  ) -> (nominal: CivilDateTime, fireAt: Instant)? {
    guard let zone = zone.map(TimeZone.init(identifier:)) ?? deviceZone else { return nil }
    let calendar = CivilCalendar(zone: zone)
    switch shape {
    case .place: return nil
    case .at(let nominal, let second):
      let fireAt = calendar.instant(of: nominal)?.adding(seconds: second)
      return fireAt.flatMap { $0 > moment ? (nominal, $0) : nil }
    case .every(let seconds):
      return first.flatMap { Self.next(of: seconds, from: $0, after: moment) }
    case .daily(let time), .weekly(_, let time), .monthly(_, let time), .yearly(_, _, let time):
      let yesterday = calendar.dateTime(at: moment).date.adding(days: -1)
      for days in 0..<Self.maxDays {
        let nominal = CivilDateTime(date: yesterday.adding(days: days), time: time)
        guard shape.isOn(nominal.date), let fireAt = calendar.instant(of: nominal),
          fireAt > moment
        else { continue }
        return (nominal, fireAt)
      }
      return nil
    }
  }

  /// Returns the next occurrence of an interval, identified by its UTC date and minute.
  private static func next(
    of seconds: Int, from first: Instant, after moment: Instant
  ) -> (nominal: CivilDateTime, fireAt: Instant) {
    let step = Int64(seconds) * 1_000
    let elapsed = moment.milliseconds - first.milliseconds
    let count = elapsed >= 0 ? elapsed / step + 1 : -((-elapsed - 1) / step)
    let fireAt = Instant(milliseconds: first.milliseconds + count * step)
    return (CivilDateTime(civilSeconds: fireAt.seconds), fireAt)
  }

  /// Two years, plus days that a zone may skip.
  private static let maxDays = 740

  /// Returns the number of words in the text of a kind, without a zone.
  private static func wordCount(of kind: String) -> Int {
    switch kind {
    case "weekly", "monthly", "yearly", "place": 3
    default: 2
    }
  }
}

extension RequestTrigger.Shape {
  /// - Parameter last: The last word before the zone, which may be the first.
  fileprivate init?(_ kind: String, _ first: String, _ last: String) {
    switch kind {
    case "at": self.init(civil: first)
    case "daily": self.init(TimeOfDay(first).map(Self.daily))
    case "weekly":
      guard let day = UInt8(first).flatMap(Weekday.init(rawValue:)), let time = TimeOfDay(last)
      else { return nil }
      self = .weekly(day, time)
    case "monthly":
      guard let day = Int(digits: first), (1...28).contains(day), let time = TimeOfDay(last) else {
        return nil
      }
      self = .monthly(day: day, time)
    case "yearly":
      guard let date = CivilDate("2001-\(first)"), let time = TimeOfDay(last) else { return nil }
      self = .yearly(month: date.components.month, day: date.components.day, time)
    case "every":
      guard let seconds = Int(digits: first), (60...31_536_000).contains(seconds) else {
        return nil
      }
      self = .every(seconds: seconds)
    case "place": self.init(Schedule.Region(first, last).map(Self.place))
    default: return nil
    }
  }

  /// Parses `2026-11-23T17:00` or `2026-11-23T17:00:30`.
  private init?(civil text: String) {
    guard text.utf8.count > 16 else {
      self.init(CivilDateTime(text).map { .at($0, second: 0) })
      return
    }
    let rest = text.utf8.dropFirst(16)
    guard let moment = CivilDateTime(String(Substring(text.utf8.prefix(16)))), rest.count == 3,
      rest.first == UInt8(ascii: ":"), let second = Int(digits: Substring(rest.dropFirst())),
      second < 60
    else { return nil }
    self = .at(moment, second: second)
  }

  private init?(_ shape: Self?) {
    guard let shape else { return nil }
    self = shape
  }

  /// The trigger's text without a zone.
  package var text: String {
    switch self {
    case .at(let moment, let second):
      second == 0 ? "at \(moment)" : "at \(moment):\(second.padded(2))"
    case .daily(let time): "daily \(time)"
    case .weekly(let day, let time): "weekly \(day.rawValue) \(time)"
    case .monthly(let day, let time): "monthly \(day) \(time)"
    case .yearly(let month, let day, let time):
      "yearly \(month.padded(2))-\(day.padded(2)) \(time)"
    case .every(let seconds): "every \(seconds)"
    case .place(let region):
      "place \(region.latitude),\(region.longitude),\(region.radius) \(region.crossing.rawValue)"
    }
  }

  /// Whether a repeating shape fires on a date.
  fileprivate func isOn(_ date: CivilDate) -> Bool {
    let (_, ownMonth, ownDay) = date.components
    return switch self {
    case .daily: true
    case .weekly(let day, _): date.weekday == day
    case .monthly(let day, _): ownDay == day
    case .yearly(let month, let day, _): ownMonth == month && ownDay == day
    case .at, .every, .place: false
    }
  }
}

extension Schedule.Region {
  /// Parses `52520000,13405000,200` and `entry`.
  fileprivate init?(_ circle: String, _ crossing: String) {
    let numbers = circle.split(separator: ",", omittingEmptySubsequences: false)
    guard numbers.count == 3, let latitude = Int32(numbers[0]), let longitude = Int32(numbers[1]),
      let radius = Int(digits: numbers[2]), let crossing = Crossing(rawValue: crossing)
    else { return nil }
    self.init(latitude: latitude, longitude: longitude, radius: radius, crossing: crossing)
  }
}
