/// A schedule whose requests do not all fit the capacity of a plan.
public struct LeftOutSchedule: Hashable, Sendable {
  /// The schedule's habit.
  public let habit: HabitID
  /// The schedule.
  public let schedule: ScheduleID
  /// The habit's title.
  package let title: String
  /// The instant at which the first request of the schedule fires that does not fit, or nil for a
  /// place.
  public let since: Instant?

  /// Creates a value from its parts.
  package init(habit: HabitID, schedule: ScheduleID, title: String, since: Instant?) {
    self.habit = habit
    self.schedule = schedule
    self.title = title
    self.since = since
  }
}

/// Collects the schedules of requests that do not fit.
struct LeftOutSchedules {
  /// The number of schedules that a plan names.
  static let limit = 64

  private struct Key: Hashable {
    let habit: HabitID
    let schedule: ScheduleID

    func hash(into hasher: inout Hasher) { hasher.combine(schedule) }
  }

  /// The first instants, or nil for places.
  private var found: [Key: Instant?] = [:]
  /// The latest of the first instants of ``limit`` schedules; nil while there are fewer.
  private var lastOfMany: Instant?

  /// Whether a request that fires at an instant cannot be among those that a plan names.
  func isFull(before instant: Instant) -> Bool { lastOfMany.map { $0 < instant } ?? false }

  /// Adds the schedules that an upcoming firing represents.
  mutating func add(_ firing: Firing, _ others: [OccurrenceID]) {
    let habit = firing.schedule.facts.habit.id
    add(Key(habit: habit, schedule: firing.schedule.suppression.schedule), firing.fireAt)
    for other in others { add(Key(habit: habit, schedule: other.schedule), firing.fireAt) }
  }

  /// Adds a plain schedule with its first request.
  mutating func add(_ schedule: PlainSchedule) {
    add(Key(habit: schedule.habit, schedule: schedule.id), schedule.first.instant)
  }

  /// Adds a place.
  mutating func add(_ place: NotificationRequest) {
    add(Key(habit: place.habit, schedule: place.schedule), nil)
  }

  private mutating func add(_ key: Key, _ since: Instant?) {
    if let known = found[key], Self.order(known) <= Self.order(since) { return }
    found.updateValue(since, forKey: key)
    if lastOfMany == nil, found.count >= Self.limit {
      lastOfMany = found.values.lazy.compactMap(\.self).max()
    }
  }

  /// Returns the schedules, places first, then by instant; at most ``limit``.
  func sorted(_ habits: [HabitID: Habit]) -> [LeftOutSchedule] {
    let all = found.sorted {
      (Self.order($0.value), $0.key.habit, $0.key.schedule)
        < (Self.order($1.value), $1.key.habit, $1.key.schedule)
    }
    return all.prefix(Self.limit).map { key, since in
      LeftOutSchedule(
        habit: key.habit, schedule: key.schedule, title: habits[key.habit]?.title ?? "",
        since: since)
    }
  }

  /// Places sort before all instants.
  private static func order(_ since: Instant?) -> Int64 { since?.milliseconds ?? .min }
}
