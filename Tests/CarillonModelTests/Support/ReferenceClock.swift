import CarillonModel
import Crypto
import Foundation

/// Civil time and quiet hours, computed minute by minute with Foundation's calendar.
final class ReferenceClock {
  let store: StoreSettings
  let device: Calendar
  private var calendars: [String: Calendar] = [:]
  private var ends: [Int64: Instant] = [:]

  init(_ zone: String, store: StoreSettings) {
    self.store = store
    device = Self.calendar(zone)
  }

  func calendar(of schedule: Schedule) -> Calendar {
    guard case .fixed(let zone) = schedule.zone else { return device }
    if let known = calendars[zone] { return known }
    let calendar = Self.calendar(zone)
    calendars[zone] = calendar
    return calendar
  }

  func midnight(after days: Int, from now: Instant) -> Instant {
    resolve(CivilDateTime(date: show(now, device).date.adding(days: days), time: .midnight), device)
      ?? now
  }

  func show(_ instant: Instant, _ calendar: Calendar) -> CivilDateTime {
    let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
    let day = CivilDate(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
    let time = TimeOfDay(minute: (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
    return CivilDateTime(date: day ?? "1970-01-01", time: time ?? .midnight)
  }

  func resolve(_ nominal: CivilDateTime, _ calendar: Calendar) -> Instant? {
    let (year, month, day) = nominal.date.components
    let minute = Int(nominal.time.minute)
    return calendar.date(
      from: DateComponents(
        year: year, month: month, day: day, hour: minute / 60, minute: minute % 60)
    ).map { Instant(milliseconds: Int64($0.timeIntervalSince1970) * 1_000) }
  }

  func due(_ shown: CivilDateTime) -> CivilDate {
    shown.time < store.dayStart ? shown.date.adding(days: -1) : shown.date
  }

  // MARK: - Quiet hours

  /// The instant to which quiet hours defer a notification, or nil outside quiet hours.
  func end(ofQuietAt instant: Instant) -> Instant? {
    guard let hours = store.quietHours, isQuiet(show(instant, device), hours) else { return nil }
    var minute = instant.milliseconds / 60_000
    var passed = [minute]
    while true {
      if let known = ends[minute] {
        for one in passed { ends[one] = known }
        return known
      }
      passed.append(minute)
      let before = show(Instant(milliseconds: minute * 60_000), device)
      minute += 1
      let next = Instant(milliseconds: minute * 60_000)
      let after = show(next, device)
      let jumped = Self.minutes(after) - Self.minutes(before) - 1
      let isJumped =
        jumped > 0
        && (1...jumped).contains {
          (Self.minutes(before) + $0) % 1_440 == Int(hours.to.minute)
        }
      if after.time == hours.to || (isJumped && !isQuiet(after, hours)) {
        for one in passed where one < minute { ends[one] = next }
        return next
      }
    }
  }

  private func isQuiet(_ shown: CivilDateTime, _ hours: DayWindow) -> Bool {
    let (from, to, time) = (hours.from, hours.to, shown.time)
    return from < to ? from <= time && time < to : time >= from || time < to
  }

  private static func minutes(_ shown: CivilDateTime) -> Int {
    Int(shown.date.rawValue) * 1_440 + Int(shown.time.minute)
  }

  private static func calendar(_ zone: String) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
    return calendar
  }
}

/// Request IDs, computed from their definition.
enum ReferenceID {
  static func single(_ habit: Habit, _ schedule: Schedule, _ nominal: CivilDateTime, _ number: Int)
    -> String
  {
    let day = UInt32(bitPattern: nominal.date.rawValue)
    let minute = nominal.time.minute
    let repetition = number == 0 ? [] : [UInt8(number >> 8), UInt8(number & 255)]
    let tail =
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: day >> $0) }
      + [UInt8(minute >> 8), UInt8(minute & 255)] + repetition
    return "c1." + hash("carillon.request.v1", habit.id.bytes + schedule.id.bytes + tail)
  }

  static func repeating(_ habit: Habit, _ schedule: Schedule, _ trigger: String) -> String {
    "c1r." + hash("carillon.repeat.v1", habit.id.bytes + schedule.id.bytes + Array(trigger.utf8))
  }

  static func hash(_ domain: String, _ tail: [UInt8]) -> String {
    let digest = SHA256.hash(data: Array(domain.utf8) + tail)
    let bits = digest.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(
      (0..<16).map { index in
        alphabet[bits[index * 5..<index * 5 + 5].reduce(0) { $0 * 2 + Int($1) }]
      })
  }
}
