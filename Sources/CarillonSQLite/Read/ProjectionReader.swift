package import CarillonModel
internal import Foundation

/// A consistent view of the projections: rows and checkpoint of one moment.
///
/// Valid only during the call that received it.
package struct ProjectionReader {
  let connection: Connection
  let checkpoint: Checkpoint
  /// The log that the rows were built from.
  let log: any EventReader
  /// The moment of the state; nil for the present.
  var moment: Instant?
  /// Whether computed values may be stored.
  let isWritable: Bool
  /// Takes the habits whose dates should be added up after the query; nil if nothing may be stored.
  var habitsToKeep: HabitsToKeep?

  /// The position up to which the log is applied.
  package var position: LogPosition { checkpoint.position }

  /// The number of events of a kind that this build does not know.
  package var unknownEventCount: UInt64 { UInt64(clamping: checkpoint.unknownCount) }

  /// The number of payloads of a known kind that cannot be read or break a limit.
  package var unreadableEventCount: UInt64 { UInt64(clamping: checkpoint.unreadableCount) }

  /// Returns the problems that a person should look at, as sentences.
  package func health() throws -> [String] {
    var sentences: [String] = []
    if unreadableEventCount > 0 {
      sentences.append(
        unreadableEventCount == 1
          ? "1 event cannot be read; it is kept and has no effect"
          : "\(unreadableEventCount) events cannot be read; they are kept and have no effect")
    }
    for habit in try habits() where !habit.isDeleted {
      for schedule in habit.schedules {
        let problem = PlanProblem(habit: habit.id, schedule: schedule) { zone in
          guard case .fixed(let name) = zone else { return true }
          return TimeZone(identifier: name) != nil
        }
        if let problem { sentences.append("\(habit.title): \(problem)") }
      }
    }
    return sentences + settingsHealth(try settingTexts())
  }

  /// Returns the settings whose values this build does not understand.
  private func settingsHealth(_ texts: [String: String]) -> [String] {
    SettingName.allCases.compactMap { name in
      guard let text = texts[name.rawValue] else { return nil }
      var settings = StoreSettings()
      do throws(ModelError) {
        try settings.set(name, to: text)
        return nil
      } catch {
        return "\(error.message), but is \"\(text)\"; its default applies until it is set again"
      }
    }
  }

  /// Returns the merged state of all events.
  ///
  /// - Parameter range: The dates of the days to include; nil includes all.
  /// - Returns: The merge of all events up to ``position``.
  /// - Throws: `damaged`, `io`.
  /// - Complexity: O(habits + schedules + devices + facts of the range).
  package func state(range: ClosedRange<CivilDate>?) throws -> StoreState {
    try state(
      habits: try habits(), days: try days(range: range), range: range,
      snoozes: try snoozes(range: range), created: try schedulesCreated())
  }

  /// Returns the merged state of all events with some habits, and the dates of these.
  package func state(of habits: [Habit], range: ClosedRange<CivilDate>) throws -> StoreState {
    let ranges = Dictionary(uniqueKeysWithValues: habits.map { ($0.id, range) })
    return try state(
      habits: habits, days: try days(in: ranges), range: range,
      snoozes: try snoozes(range: range), created: try schedulesCreated())
  }

  /// Returns the part of the merged state that a plan depends on: the dates of a range, with longer
  /// ranges for some habits.
  ///
  /// - Parameters:
  ///   - range: The result of ``Planner/range(now:including:)`` or
  ///     ``Planner/range(now:settings:)``.
  ///   - isFromRange: Whether no occurrence before the range is of interest. Then schedules that
  ///     were created before it count as always having existed.
  package func planState(
    range: ClosedRange<CivilDate>, isFromRange: Bool = false
  ) throws -> StoreState {
    let (habits, snoozes) = (try habits(), try snoozes(range: range))
    var longer: [HabitID: ClosedRange<CivilDate>] = [:]
    var widest = range
    for habit in habits {
      let own = Planner.range(of: habit, snoozes: snoozes[habit.id] ?? [], in: range)
      guard own != range else { continue }
      longer[habit.id] = own
      widest = min(widest.lowerBound, own.lowerBound)...widest.upperBound
    }
    let start = isFromRange && snoozes.isEmpty ? widest.lowerBound : nil
    return try state(
      habits: habits, days: try days(range: range, longer: longer), range: widest,
      snoozes: snoozes, created: try schedulesCreated(since: start))
  }

  /// Returns the part of the merged state that determines what one habit fired recently.
  ///
  /// - Parameter range: The result of ``Planner/range(now:including:)``.
  /// - Complexity: O(devices + facts of the habit in the range).
  package func state(of habit: Habit, range: ClosedRange<CivilDate>) throws -> StoreState {
    let snoozes = try snoozes(range: range)[habit.id] ?? []
    let own = Planner.range(of: habit, snoozes: snoozes, in: range)
    return StoreState(
      habits: [habit.id: habit], scheduleCreated: try schedulesCreated(of: habit.id),
      days: [habit.id: try days(of: habit.id, range: own)],
      receipts: try occurrenceReceipts(range: own, of: habit.id),
      pauses: Dictionary(uniqueKeysWithValues: try pauses().map { ($0.id, $0) }),
      snoozes: [habit.id: snoozes],
      lastRecordings: try lastRecordings(of: snoozes.isEmpty ? [] : [habit.id], range: own),
      entryTimes: try entryTimes(
        of: habit.asksForEntryTimes ? [habit.id] : [], range: own),
      settings: try settings(), devices: try devices())
  }

  private func state(
    habits: [Habit], days: [HabitID: StoreState.Days],
    range: ClosedRange<CivilDate>?, snoozes: [HabitID: [Snooze]],
    created: [HabitID: [ScheduleID: Instant]]
  ) throws -> StoreState {
    StoreState(
      habits: Dictionary(uniqueKeysWithValues: habits.lazy.map { ($0.id, $0) }),
      scheduleCreated: created, days: days,
      receipts: try occurrenceReceipts(range: range),
      pauses: Dictionary(uniqueKeysWithValues: try pauses().map { ($0.id, $0) }),
      snoozes: snoozes,
      lastRecordings: try lastRecordings(of: snoozes.keys, range: range),
      entryTimes: try entryTimes(
        of: habits.filter(\.asksForEntryTimes).map(\.id), range: range),
      settings: try settings(),
      devices: try devices())
  }
}
