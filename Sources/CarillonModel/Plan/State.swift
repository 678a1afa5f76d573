/// What the events come to: the merge of all of them, as far as the planner needs it.
///
/// A pure function of the set of events, whatever the order of arrival.
public struct State: Hashable, Sendable {
  /// What is known of one date of one habit.
  public struct Day: Hashable, Sendable {
    /// The live entries' values, added up; thousandths.
    public var amount: Int64
    /// How many entries live.
    public var entryCount: Int
    /// What the person said of the date.
    public var mark: DayMark

    /// Makes a value of its parts.
    public init(amount: Int64 = 0, entryCount: Int = 0, mark: DayMark = .clear) {
      self.amount = amount
      self.entryCount = entryCount
      self.mark = mark
    }
  }

  /// All habits, archived and deleted ones among them.
  public var habits: [HabitID: Habit]
  /// The dates about which something is known; only those of the range that was asked for.
  public var days: [HabitID: [CivilDate: Day]]
  /// What became of reminders on any device; only of the range's nominal dates.
  public var receipts: [HabitID: Set<OccurrenceReceipt>]
  /// All pauses, over or not.
  public var pauses: [PauseID: Pause]
  /// The snoozes that were not taken back; only of the range's nominal dates, or that end in it or
  /// later.
  public var snoozes: [HabitID: [Snooze]]
  /// When entries were made; only of habits with a schedule that asks for it, and of the range's
  /// dates.
  public var entryTimes: [HabitID: [Instant]]
  /// The settings of the store.
  public var settings: StoreSettings
  /// All replicas' devices.
  public var devices: [ReplicaID: Device]

  /// Makes a value of its parts.
  public init(
    habits: [HabitID: Habit] = [:], days: [HabitID: [CivilDate: Day]] = [:],
    receipts: [HabitID: Set<OccurrenceReceipt>] = [:], pauses: [PauseID: Pause] = [:],
    snoozes: [HabitID: [Snooze]] = [:], entryTimes: [HabitID: [Instant]] = [:],
    settings: StoreSettings = StoreSettings(), devices: [ReplicaID: Device] = [:]
  ) {
    self.habits = habits
    self.days = days
    self.receipts = receipts
    self.pauses = pauses
    self.snoozes = snoozes
    self.entryTimes = entryTimes
    self.settings = settings
    self.devices = devices
  }

  /// The greatest date on which somebody used the app on any device.
  public var lastActive: CivilDate? { devices.values.compactMap(\.lastActive).max() }

  /// Whether a habit is done on a date.
  public func isDone(_ habit: Habit, on date: CivilDate) -> Bool {
    days[habit.id]?[date]?.isDone(habit) ?? false
  }
}

extension State.Day {
  /// Whether it makes a habit done: any live entry, or the target reached where the habit has one.
  ///
  /// A habit with a target at most is never done, since it can still fail.
  public func isDone(_ habit: Habit) -> Bool {
    guard entryCount > 0 else { return false }
    guard habit.kind == .count, let target = habit.target else { return true }
    return habit.direction == .atLeast && amount >= target
  }
}
