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

  private var found: [Key: LeftOutSchedule] = [:]
  /// The latest of the first instants of ``limit`` schedules; nil while there are fewer.
  private var lastOfMany: Instant?

  /// Whether a request that fires at an instant cannot be among those that a plan names.
  func isFull(before instant: Instant) -> Bool { lastOfMany.map { $0 < instant } ?? false }

  /// Adds the schedules that an upcoming firing represents.
  mutating func add(_ firing: Firing, _ others: [OccurrenceID]) {
    let facts = firing.schedule.facts
    add(facts.habit.id, firing.schedule.suppression.schedule, firing.fireAt, facts.habit.title)
    for other in others { add(facts.habit.id, other.schedule, firing.fireAt, facts.habit.title) }
  }

  /// Adds a place.
  mutating func add(_ place: NotificationRequest, of habit: Habit) {
    add(habit.id, place.schedule, nil, habit.title)
  }

  private mutating func add(
    _ habit: HabitID, _ schedule: ScheduleID, _ since: Instant?, _ title: String
  ) {
    let left = LeftOutSchedule(habit: habit, schedule: schedule, title: title, since: since)
    let key = Key(habit: habit, schedule: schedule)
    if let known = found[key], known.order <= left.order { return }
    found[key] = left
    if lastOfMany == nil, found.count >= Self.limit {
      lastOfMany = found.values.lazy.compactMap(\.since).max()
    }
  }

  /// The schedules, places first, then by instant; at most ``limit``.
  var sorted: [LeftOutSchedule] {
    let all = found.values.sorted {
      ($0.order, $0.habit, $0.schedule) < ($1.order, $1.habit, $1.schedule)
    }
    return Array(all.prefix(Self.limit))
  }
}

extension LeftOutSchedule {
  /// Places sort before all instants.
  fileprivate var order: Int64 { since?.milliseconds ?? .min }
}
