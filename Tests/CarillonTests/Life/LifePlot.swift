import CarillonModel
import CarillonTestSupport
import Foundation

/// The events of a life apart from the person's choices: its place and time, and its turns.
struct LifePlot {
  enum Turn: Hashable {
    /// The app is opened, or woken in the background.
    case wake(Int)
    /// The person does something on a device.
    case act(Int)
    case sync
    case reboot(Int), revoke(Int), grant(Int)
    case travel(TimeZone)
  }

  let start: Instant
  let zone: TimeZone
  /// The zones to which people travel, one after another.
  ///
  /// A life with travels has no reminders at night.
  let travels: [TimeZone]
  let days: Int
  let capacity: Int
  let dayStart: TimeOfDay
  let horizonDays: Int
  let quietHours: DayWindow?
  /// In a life with travels there are no digests, because the times of their reminders change.
  let digest: DigestRule?
  /// The device that is not used from a certain day, and that day.
  let drawer: (device: Int, day: Int)?

  /// The settings to set before anything else.
  var settings: [(SettingName, String)] {
    [(.dayStart, "\(dayStart)"), (.horizonDays, "\(horizonDays)")]
      + (quietHours.map { [(.quietHours, "\($0)")] } ?? [])
      + (digest.map { [(.digest, "\($0)")] } ?? [])
  }

  init(using random: inout SeededGenerator) {
    let kinds: [(start: String, zone: String, travels: [String])] = [
      ("2026-10-22T08:00:00Z", "Europe/Berlin", []),
      ("2026-03-05T12:00:00Z", "America/New_York", []),
      ("2026-10-01T00:00:00Z", "Australia/Lord_Howe", []),
      ("2026-05-08T08:00:00Z", "Europe/Berlin", ["Asia/Tokyo", "America/Los_Angeles"]),
      ("2026-05-30T08:00:00Z", "Asia/Tokyo", ["America/Los_Angeles", "Europe/Berlin"]),
    ]
    let kind = random.pick(kinds)
    start = Instant(rfc3339: kind.start) ?? Instant(milliseconds: 0)
    zone = TimeZone(identifier: kind.zone) ?? .gmt
    travels = kind.travels.compactMap(TimeZone.init(identifier:))
    days = random.pick([6, 9, 12])
    capacity = random.pick([64, 64, 10, 4])
    dayStart = random.pick(["00:00", "00:00", "04:00"])
    horizonDays = random.pick([8, 8, 3])
    quietHours = random.pick([nil, nil, "22:00-07:00", "21:00-09:00", "12:00-14:00"])
      .flatMap(DayWindow.init)
    let digest = random.pick([nil, nil, nil, "1/3600s", "2/7200s"] as [String?])
    self.digest = travels.isEmpty ? digest.flatMap(DigestRule.init) : nil
    drawer = random.oneIn(3) ? (random.pick([0, 1]), random.pick([2, 3])) : nil
  }

  /// Returns all turns in order, each at a different second at which no reminder fires.
  func turns(using random: inout SeededGenerator) -> [(at: Instant, turn: Turn)] {
    var turns: [Int64: Turn] = [:]
    func place(_ turn: Turn, _ day: Int, _ random: inout SeededGenerator) {
      let minute = Int64.random(in: 0..<1_440, using: &random)
      let second = Int64(day) * 86_400 + minute * 60 + Int64.random(in: 1..<60, using: &random)
      if turns[second] == nil { turns[second] = turn }
    }
    for day in 0..<days {
      for device in 0...1 {
        if let drawer, drawer.device == device, day >= drawer.day { continue }
        for _ in 0..<random.pick([0, 1, 2, 4]) { place(.wake(device), day, &random) }
        for _ in 0..<random.pick([0, 1, 2, 3]) { place(.act(device), day, &random) }
        if random.oneIn(12) { place(.reboot(device), day, &random) }
        if random.oneIn(12) {
          place(.revoke(device), day, &random)
          place(.grant(device), day + random.pick([0, 1]), &random)
        }
      }
      if drawer.map({ day < $0.day }) ?? true {
        for _ in 0..<random.pick([0, 1, 1, 2]) { place(.sync, day, &random) }
      }
    }
    for (index, target) in travels.enumerated() {
      place(.travel(target), days * (index + 1) / (travels.count + 1), &random)
    }
    let last = Int64(days) * 86_400
    return turns.filter { $0.key < last }.sorted { $0.key < $1.key }.map {
      (Instant(milliseconds: start.milliseconds + $0.key * 1_000), $0.value)
    }
  }
}
