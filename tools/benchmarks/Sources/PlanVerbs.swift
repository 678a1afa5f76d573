import CarillonModel
import Foundation

/// The rows that measure the planner.
enum PlanVerbs {
  private static let rounds = 20
  /// A placeholder for the event ID in hashes that contain none.
  private static let nothing = EventChain.root(of: ReplicaID(high: 0, low: 0))

  /// `plan HABITS [ROUNDS]`: plans the 64 soonest occurrences by merging.
  static func plan(_ arguments: Arguments) async throws -> Measurement {
    let planner = try planner(arguments)
    let rounds = arguments.count > 1 ? try arguments.number(1) : rounds
    var computed = 0
    var measurement = try await Measurement.timing(rounds) {
      for _ in 0..<rounds { computed = planner.plan().computedCount }
    }
    measurement.details["computed"] = computed
    measurement.details["schedules"] = 2 * (try arguments.number(0))
    return measurement
  }

  /// `plan-by-sorting HABITS`: computes every occurrence within the horizon with its instant and
  /// ID, and sorts them.
  static func planBySorting(_ arguments: Arguments) async throws -> Measurement {
    let habits = try Fixtures.habits(try arguments.number(0))
    let first = CivilDate(
      rawValue: Int32(Fixtures.now.milliseconds / 86_400_000))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return try await Measurement.timing(rounds) {
      for _ in 0..<rounds {
        var found: [(fire: Date, id: EntryID)] = []
        for habit in habits {
          for schedule in habit.schedules {
            found += occurrences(of: schedule, of: habit, from: first, calendar)
          }
        }
        found.sort { ($0.fire, $0.id) < ($1.fire, $1.id) }
        precondition(found.prefix(64).count == 64)
      }
    }
  }

  /// Returns the occurrences of one schedule in eight days.
  ///
  /// Equal instants are ordered by a hash of the occurrence, like the planner's IDs.
  private static func occurrences(
    of schedule: Schedule, of habit: Habit, from first: CivilDate, _ calendar: Calendar
  ) -> [(fire: Date, id: EntryID)] {
    guard case .weekly(let days) = schedule.rule else { return [] }
    var found: [(fire: Date, id: EntryID)] = []
    for date in (0..<8).map(first.adding(days:)) where days.contains(date.weekday) {
      let (year, month, day) = date.components
      for time in schedule.times {
        let parts = DateComponents(
          year: year, month: month, day: day, hour: Int(time.minute / 60),
          minute: Int(time.minute % 60))
        guard let fire = calendar.date(from: parts) else { continue }
        let name = EntryKind.occurrence(schedule: schedule.id, time: time)
        found.append((fire, name.entryID(habit: habit.id, date: date, event: nothing)))
      }
    }
    return found
  }

  private static func planner(_ arguments: Arguments) throws -> Planner {
    let habits = try Fixtures.habits(try arguments.number(0))
    let state = StoreState(habits: Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) }))
    return Planner(
      state: state, settings: PlanSettings(zone: .gmt), device: .random(), now: Fixtures.now)
  }
}
