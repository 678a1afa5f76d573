import CarillonModel
import Foundation

extension FuzzTarget {
  static let texts = FuzzTarget(
    name: "texts", maxByteCount: 80, seeds: Texts.seeds, run: Texts.read)
  static let settings = FuzzTarget(
    name: "settings", maxByteCount: 80, seeds: Settings.seeds, run: Settings.read)
}

/// The short texts of the command line and JSON: instants, dates, times, goals, IDs.
private enum Texts {
  /// A written value reads back equal.
  static func read(_ bytes: UnsafeRawBufferPointer) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    readInstant(text)
    if let date = readAgain(CivilDate.self, text) {
      hold("\(date)" == text, "dates have one written form")
    }
    if let time = readAgain(TimeOfDay.self, text) {
      hold("\(time)" == text, "times have one written form")
    }
    if let both = readAgain(CivilDateTime.self, text) {
      hold("\(both)" == text, "dates with times have one written form")
    }
    _ = readAgain(Quota.self, text)
    _ = readAgain(DayWindow.self, text)
    _ = readAgain(DigestRule.self, text)
    _ = readAgain(HabitID.self, text)
    _ = readAgain(EventID.self, text)
    if let trigger = readAgain(RequestTrigger.self, text) { readTrigger(trigger) }
    if let day = Weekday(abbreviation: text) {
      hold(Weekday(abbreviation: day.abbreviation) == day, "weekdays read back equal")
    }
  }

  /// Instants in the years of RFC 3339, 1 to 9999 in every time zone, read back equal with any
  /// offset.
  private static func readInstant(_ text: String) {
    guard let instant = Instant(rfc3339: text),
      let first = Instant(rfc3339: "0001-01-02T00:00:00Z"),
      let last = Instant(rfc3339: "9999-12-31T00:00:00Z"), (first..<last).contains(instant)
    else { return }
    for offset in [0, 3_600, -34_200, 86_340] {
      let written = instant.rfc3339(offsetSeconds: offset)
      hold(Instant(rfc3339: written) == instant, "\(text) reads back equal: \(written)")
    }
  }

  /// The next instance is after the given time, whatever that is.
  private static func readTrigger(_ trigger: RequestTrigger) {
    for moment: Int64 in [0, 1_795_431_600_000, -62_135_500_000_000, 253_402_200_000_000] {
      let moment = Instant(milliseconds: moment)
      let next = trigger.nextFire(after: moment, in: .gmt, countedFrom: moment)
      hold(next.map { $0 > moment } ?? true, "\(trigger) fires after \(moment)")
    }
  }

  private static func readAgain<Value: TextCodable & Equatable>(
    _ type: Value.Type, _ text: String
  ) -> Value? {
    guard let value = Value(text) else { return nil }
    hold(Value(value.description) == value, "\(type) \(text) reads back equal: \(value)")
    return value
  }

  static func seeds() -> [[UInt8]] {
    Vectors.texts([
      "2026-11-23T16:00:00Z", "2026-11-23T17:00:00.007+01:00", "0001-01-01T00:00:00+23:59",
      "9999-12-31T23:59:59.999999999-23:59", "2024-02-29", "2200-12-31", "1969-12-31", "00:00",
      "23:59", "2026-11-23T17:00", "3/7d", "1000/366d", "mon", "SUN",
      "3/week", "3/5d", "08:00-20:00", "3/300s", "at 2026-11-23T17:00:30 UTC", "weekly 1 07:30",
      "monthly 15 07:30", "yearly 03-15 07:30", "every 3600", "place 52520000,-13405000,200 exit",
      "daily 07:30 Europe/Berlin", "11111111-2222-4333-8444-55555555aBcD",
      "01a20922bbe80000c6244dcdaff332340e74ef6ca5e1c46112ef0cc6679f9a2f",
    ])
  }
}

/// The settings of a store, as texts.
private enum Settings {
  /// A name and a value, separated by a space: an accepted value is accepted as it is shown.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    guard let text = String(validating: bytes, as: UTF8.self), let blank = text.firstIndex(of: " "),
      let name = SettingName(rawValue: String(text[..<blank]))
    else { return }
    let value = String(text[text.index(after: blank)...])
    var settings = StoreSettings()
    do {
      try settings.set(name, to: value)
    } catch {
      hold(settings == StoreSettings(), "a refused value changes nothing")
      hold(
        StoreSettings(settingTexts: [name.rawValue: value]) == settings,
        "a refused value leaves the default")
      return
    }
    var again = StoreSettings()
    try again.set(name, to: settings[name])
    hold(again == settings, "\(name) is accepted as it is shown: \(settings[name] ?? "none")")
    hold(
      StoreSettings(settingTexts: [name.rawValue: value]) == settings,
      "both ways of setting a value are equal")
  }

  static func seeds() -> [[UInt8]] {
    Vectors.texts([
      "dayStart 04:00", "quietHours 22:00-07:00", "quietHours none", "horizonDays 14",
      "staleHours 48", "digest 3/300s", "asksToOpen on", "primingDays 14", "horizonDays 401",
    ])
  }
}
