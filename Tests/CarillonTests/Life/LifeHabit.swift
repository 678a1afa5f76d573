import CarillonModel
import Foundation

/// A habit of a simulated life, simple enough to be evaluated without the planner.
struct LifeHabit: Hashable {
  enum Dates: Hashable {
    case weekly(Set<Weekday>)
    case everyDays(Int, from: CivilDate)
    case once(CivilDate)
  }

  let id: HabitID
  let schedule: ScheduleID
  var dates: Dates
  var times: [TimeOfDay]
  var zone: ScheduleZone = .floating
  var isConditional = false
  var owner = Habit.Owner.phoneFirst
  var quietPolicy = QuietPolicy.deferred
  /// When the person added it.
  var createdAt = Instant(milliseconds: .min)

  /// The habit as given to the store.
  var habit: Habit {
    let rule: Schedule.Rule =
      switch dates {
      case .weekly(let days): .weekly(days)
      case .everyDays(let count, let first): .everyDays(count, from: first)
      case .once(let date): .once(date)
      }
    var habit = Habit(
      id: id, title: "Habit",
      schedules: [
        Schedule(
          id: schedule, rule: rule, times: times, zone: zone, unless: isConditional ? .done : .none,
          quietPolicy: quietPolicy)
      ])
    habit.owner = owner
    return habit
  }

  /// Whether it has an occurrence with a nominal time.
  func occurs(at nominal: CivilDateTime) -> Bool {
    times.contains(nominal.time) && isOn(nominal.date)
  }

  func isOn(_ date: CivilDate) -> Bool {
    switch dates {
    case .weekly(let days): days.contains(date.weekday)
    case .everyDays(let count, let first): date >= first && first.days(to: date) % count == 0
    case .once(let only): date == only
    }
  }
}

/// The zones of the world's clocks, one after another.
struct LifeZones {
  private(set) var segments: [(from: Instant, zone: TimeZone)]

  init(_ zone: TimeZone) {
    segments = [(Instant(milliseconds: .min), zone)]
  }

  mutating func travel(to zone: TimeZone, at instant: Instant) {
    segments.append((instant, zone))
  }

  /// Returns the zones as if people stayed from an instant on where they are then.
  func staying(since instant: Instant) -> LifeZones {
    var zones = self
    zones.segments = segments.filter { $0.from <= instant }
    return zones
  }

  func zone(at instant: Instant) -> TimeZone {
    segments.last { $0.from <= instant }?.zone ?? segments[0].zone
  }

  /// When an occurrence's time comes in one zone, and when people are there: after `from`, up to
  /// and including `end`.
  struct Moment {
    let at: Instant
    let zone: TimeZone
    var from = Instant(milliseconds: .min)
    var end = Instant(milliseconds: .max)

    /// Whether people are there at an instant.
    func holds(_ instant: Instant) -> Bool { instant > from && instant <= end }
  }

  /// Returns when an occurrence's time comes in each zone, whether or not people are there.
  ///
  /// For a fixed zone, as seen from where people are at an instant.
  func moments(of nominal: CivilDateTime, of habit: LifeHabit, seen: Instant) -> [Moment] {
    if case .fixed(let name) = habit.zone {
      return TimeZone(identifier: name).flatMap { Self.instant(nominal, in: $0) }
        .map { [Moment(at: $0, zone: zone(at: seen))] } ?? []
    }
    return segments.indices.compactMap { index in
      let end = segments.indices.contains(index + 1) ? segments[index + 1].from : nil
      return Self.instant(nominal, in: segments[index].zone).map {
        Moment(
          at: $0, zone: segments[index].zone, from: segments[index].from,
          end: end ?? Instant(milliseconds: .max))
      }
    }
  }

  /// Returns the instants at which the people's clocks show an occurrence's time: two if they
  /// travelled west across it, none if they travelled east across it.
  func fires(_ nominal: CivilDateTime, of habit: LifeHabit) -> [Instant] {
    moments(of: nominal, of: habit, seen: segments[0].from)
      .filter { $0.holds($0.at) }.map(\.at)
  }

  /// Resolves a civil time with Foundation: a time in a gap moves by its length, and the first of
  /// two is used in an overlap.
  static func instant(_ nominal: CivilDateTime, in zone: TimeZone) -> Instant? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let (year, month, day) = nominal.date.components
    let minute = Int(nominal.time.minute)
    let parts = DateComponents(
      year: year, month: month, day: day, hour: minute / 60, minute: minute % 60)
    return calendar.date(from: parts).map {
      Instant(milliseconds: Int64($0.timeIntervalSince1970) * 1_000)
    }
  }

  /// Returns what a clock in a zone shows.
  static func civil(_ instant: Instant, in zone: TimeZone) -> CivilDateTime {
    let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
    let minutes =
      (instant.milliseconds + Int64(zone.secondsFromGMT(for: date)) * 1_000) / 60_000
    return CivilDateTime(
      date: CivilDate(rawValue: Int32(minutes / 1_440)),
      time: TimeOfDay(minute: Int(minutes % 1_440)) ?? .midnight)
  }
}
