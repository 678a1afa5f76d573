/// The merged state of all events, as far as the planner needs it.
///
/// A pure function of the set of events, independent of their order of arrival.
package struct StoreState: Hashable, Sendable {
  /// The merged state of one date of one habit.
  package struct Day: Hashable, Sendable {
    /// The sum of the live entries' amounts.
    package var amount: Amount
    /// The number of live entries.
    package var entryCount: Int
    /// The person's mark for the date.
    package var mark: DayMark

    /// Creates a value from its parts.
    package init(amount: Amount = .zero, entryCount: Int = 0, mark: DayMark = .clear) {
      self.amount = amount
      self.entryCount = entryCount
      self.mark = mark
    }
  }

  /// All habits, including archived and deleted ones.
  package var habits: [HabitID: Habit]
  /// The instant at which each schedule was first set.
  ///
  /// A schedule that is missing here always existed.
  package var scheduleCreated: [HabitID: [ScheduleID: Instant]]
  /// The dates with entries or marks, limited to the requested range.
  package var days: [HabitID: Days]
  /// The receipts of all devices, limited to nominal dates in the requested range.
  package var receipts: [HabitID: Set<OccurrenceReceipt>]
  /// All pauses, including those that are over.
  package var pauses: [PauseID: Pause]
  /// The snoozes that were not cancelled, limited to those whose nominal date is in the requested
  /// range or that end in the range or later.
  package var snoozes: [HabitID: [Snooze]]
  /// The latest recording of a live entry on each date, limited to habits with snoozes and to dates
  /// in the requested range.
  package var lastRecordings: [HabitID: [CivilDate: EventID]]
  /// The instants of entries, limited to habits with a schedule that needs them and to dates in the
  /// requested range.
  package var entryTimes: [HabitID: [Instant]]
  /// The settings of the store.
  package var settings: StoreSettings
  /// The devices of all replicas.
  package var devices: [ReplicaID: Device]

  /// Creates a value from its parts.
  package init(
    habits: [HabitID: Habit] = [:], scheduleCreated: [HabitID: [ScheduleID: Instant]] = [:],
    days: [HabitID: Days] = [:],
    receipts: [HabitID: Set<OccurrenceReceipt>] = [:], pauses: [PauseID: Pause] = [:],
    snoozes: [HabitID: [Snooze]] = [:],
    lastRecordings: [HabitID: [CivilDate: EventID]] = [:],
    entryTimes: [HabitID: [Instant]] = [:],
    settings: StoreSettings = StoreSettings(), devices: [ReplicaID: Device] = [:]
  ) {
    self.habits = habits
    self.scheduleCreated = scheduleCreated
    self.days = days
    self.receipts = receipts
    self.pauses = pauses
    self.snoozes = snoozes
    self.lastRecordings = lastRecordings
    self.entryTimes = entryTimes
    self.settings = settings
    self.devices = devices
  }

  /// The latest date on which the app was used on any device.
  package var lastActive: CivilDate? { devices.values.compactMap(\.lastActive).max() }

  /// Whether a habit is done on a date.
  package func isDone(_ habit: Habit, on date: CivilDate) -> Bool {
    days[habit.id]?[date]?.isDone(habit) ?? false
  }
}

extension StoreState.Day {
  /// Whether the day counts as done: it has a live entry and, if the habit has a target, reaches
  /// it.
  ///
  /// A habit with an upper limit is never done, because it can still fail.
  package func isDone(_ habit: Habit) -> Bool {
    guard entryCount > 0 else { return false }
    guard habit.kind == .count, let target = habit.target else { return true }
    return habit.direction == .atLeast && amount >= target
  }
}
