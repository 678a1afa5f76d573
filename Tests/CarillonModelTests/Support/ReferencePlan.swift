import CarillonModel
import Crypto
import Foundation

/// The plan as its specification reads, by expanding every date and sorting: slow, and sharing no
/// code with the planner but the types of the domain.
struct ReferencePlan {
  struct Item: Hashable {
    let fire: Date
    let id: String
  }

  private(set) var items: [Item] = []
  private let fixture: PlanFixture
  private let now: Date
  private var end = Date.distantPast
  private let device: Calendar

  init(_ random: RandomPlan) {
    fixture = random.fixture
    now = Date(timeIntervalSince1970: Double(random.now.milliseconds) / 1_000)
    device = Self.calendar(fixture.zone)
    let last = device.dateComponents([.year, .month, .day], from: now)
    end =
      device.date(from: last).flatMap { midnight in
        self.resolve(Self.day(midnight, device).adding(days: fixture.horizonDays), 0, device)
      } ?? now
    for habit in fixture.state.habits.values {
      for slot in habit.slots { expand(slot, habit) }
    }
    items.sort { ($0.fire, $0.id) < ($1.fire, $1.id) }
  }

  var taken: [Item] { Array(items.prefix(fixture.capacity)) }
  var droppedCount: Int { min(1_000, items.count - taken.count) }
  var coverageUntil: Date { min(end, items.dropFirst(fixture.capacity).first?.fire ?? end) }

  // MARK: - Occurrences

  private struct Occurrence {
    let date: CivilDate
    let fire: Date
    let isShifted: Bool
    let isSilent: Bool
  }

  private mutating func expand(_ slot: Slot, _ habit: Habit) {
    let calendar = if case .fixed(let zone) = slot.zone { Self.calendar(zone) } else { device }
    let today = Self.day(now, calendar)
    for time in slot.times {
      let coming = (-3...fixture.horizonDays + 20).compactMap {
        occurrence(slot, habit, today.adding(days: $0), time, calendar)
      }.filter { $0.fire > now }
      let near = coming.filter { $0.fire < end }
      if let keys = repeats(slot, habit, calendar), isUniform(near + first(coming, keys)) {
        for next in first(coming, keys) { items.append(repeating(slot, habit, next, time)) }
      } else {
        items += near.filter { !$0.isSilent }.map { single(slot, habit, $0, time) }
      }
    }
  }

  private func isUniform(_ occurrences: [Occurrence]) -> Bool {
    occurrences.allSatisfy { !$0.isShifted && !$0.isSilent }
  }

  /// The first occurrence on each of the weekdays that repeat by themselves.
  private func first(_ coming: [Occurrence], _ keys: [Set<Weekday>]) -> [Occurrence] {
    keys.compactMap { days in coming.first { days.contains($0.date.weekday) } }
  }

  private func repeats(_ slot: Slot, _ habit: Habit, _ calendar: Calendar) -> [Set<Weekday>]? {
    guard slot.unless == .none, slot.stopAfterDays ?? 0 == 0, habit.end == nil else { return nil }
    let clock = calendar.dateComponents([.hour, .minute], from: now)
    let minute = (clock.hour ?? 0) * 60 + (clock.minute ?? 0)
    let today = Self.day(now, calendar)
    let logical = minute < Int(fixture.dayStart.minute) ? today.adding(days: -1) : today
    if let start = habit.start, start > logical { return nil }
    switch slot.rule {
    case .weekly(let days): return days.count == 7 ? [days] : days.map { [$0] }
    case .everyDays(1, from: let anchor): return anchor > today ? nil : [Set(Weekday.allCases)]
    default: return nil
    }
  }

  private func occurrence(
    _ slot: Slot, _ habit: Habit, _ date: CivilDate, _ time: TimeOfDay, _ calendar: Calendar
  ) -> Occurrence? {
    let isOn =
      switch slot.rule {
      case .once(let only): date == only
      case .weekly(let days): days.contains(date.weekday)
      case .everyDays(let count, let anchor):
        date >= anchor && (date.rawValue - anchor.rawValue) % Int32(count) == 0
      case .recurrence, .interval, .relative, .place, .unknown: false
      }
    guard isOn, let fire = resolve(date, Int(time.minute), calendar) else { return nil }
    let shown = calendar.dateComponents([.day, .hour, .minute], from: fire)
    let minute = (shown.hour ?? 0) * 60 + (shown.minute ?? 0)
    let isSameDay = shown.day == date.components.day
    // A day that is missing shows the same minute of another day.
    if !isSameDay && minute == Int(time.minute) { return nil }
    let due = time < fixture.dayStart ? date.adding(days: -1) : date
    return Occurrence(
      date: date, fire: fire, isShifted: !isSameDay || minute != Int(time.minute),
      isSilent: isSilent(slot, habit, due) || isShown(slot, habit, date, time))
  }

  private func isShown(
    _ slot: Slot, _ habit: Habit, _ date: CivilDate, _ time: TimeOfDay
  ) -> Bool {
    (fixture.state.receipts[habit.id] ?? []).contains { receipt in
      let isDue = receipt.fireAt.map {
        Double($0.milliseconds) / 1_000 <= now.timeIntervalSince1970
      }
      return receipt.slot == slot.id && receipt.nominal.date == date && receipt.nominal.time == time
        && receipt.revision == "0" && (receipt.state != .submitted || isDue ?? false)
    }
  }

  private func isSilent(_ slot: Slot, _ habit: Habit, _ due: CivilDate) -> Bool {
    let state = fixture.state
    let day = state.days[habit.id]?[due] ?? State.Day()
    let isDone = state.isDone(habit, on: due)
    let isPaused = state.pauses.values.contains { pause in
      (pause.habit ?? habit.id) == habit.id && due >= pause.first && due <= pause.last ?? due
    }
    let days = slot.stopAfterDays ?? (slot.unless == .none ? 0 : 7)
    let isInactive = days > 0 && state.lastActive.map { $0.days(to: due) > days } ?? false
    return isPaused || isInactive || due < habit.start ?? due || due > habit.end ?? due
      || (day.mark == .skip && !isDone) || (slot.unless == .done && isDone)
  }

  // MARK: - Civil time

  private static func calendar(_ zone: String) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
    return calendar
  }

  private static func day(_ date: Date, _ calendar: Calendar) -> CivilDate {
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return CivilDate(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
      ?? "1970-01-01"
  }

  private func resolve(_ date: CivilDate, _ minute: Int, _ calendar: Calendar) -> Date? {
    let (year, month, day) = date.components
    return calendar.date(
      from: DateComponents(
        year: year, month: month, day: day, hour: minute / 60, minute: minute % 60))
  }

  // MARK: - Ids

  private func single(
    _ slot: Slot, _ habit: Habit, _ occurrence: Occurrence, _ time: TimeOfDay
  ) -> Item {
    let day = UInt32(bitPattern: occurrence.date.rawValue)
    let minute = time.minute
    let tail =
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: day >> $0) }
      + [UInt8(minute >> 8), UInt8(minute & 255)]
    return Item(fire: occurrence.fire, id: "c1." + hash("carillon.request.v1", slot, habit, tail))
  }

  private func repeating(
    _ slot: Slot, _ habit: Habit, _ occurrence: Occurrence, _ time: TimeOfDay
  ) -> Item {
    let isDaily =
      switch slot.rule {
      case .weekly(let days): days.count == 7
      default: true
      }
    let text = isDaily ? "daily \(time)" : "weekly \(occurrence.date.weekday.rawValue) \(time)"
    return Item(
      fire: occurrence.fire, id: "c1r." + hash("carillon.repeat.v1", slot, habit, Array(text.utf8)))
  }

  private func hash(_ domain: String, _ slot: Slot, _ habit: Habit, _ tail: [UInt8]) -> String {
    let digest = SHA256.hash(data: Array(domain.utf8) + habit.id.bytes + slot.id.bytes + tail)
    let bits = digest.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(
      (0..<16).map { index in
        alphabet[bits[index * 5..<index * 5 + 5].reduce(0) { $0 * 2 + Int($1) }]
      })
  }
}
