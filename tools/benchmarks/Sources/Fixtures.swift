import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonWire
import Foundation

/// The input of the verbs: the same habits and events in every run.
enum Fixtures {
  /// Monday 2026-11-23, 07:00 UTC: the moment after the last event.
  static let now = Instant(milliseconds: 1_795_417_200_000)

  /// The clock, zone and capacity of a store.
  static let options = StoreOptions(clock: { now }, zone: { .gmt })

  /// Returns identifiers that look random and are the same in every run.
  static func identifiers<Subject>(_ count: Int, of kind: UInt64) -> [Identifier<Subject>] {
    var generator = SeededGenerator(seed: kind)
    return (0..<count).map { _ in .random(using: &generator) }
  }

  /// Returns habits with two schedules each: one that always reminds, and one that reminds unless
  /// done.
  static func habits(_ count: Int) throws -> [Habit] {
    let habits: [HabitID] = identifiers(count, of: 1)
    let schedules: [ScheduleID] = identifiers(2 * count, of: 2)
    return try habits.indices.map { index in
      let minute = 360 + index % 840
      let times = try [0, 97, 211].map { try time(minute + $0) }
      return Habit(
        id: habits[index], title: "Habit \(index)",
        schedules: [
          Schedule(id: schedules[2 * index], rule: .weekly(Set(Weekday.allCases)), times: times),
          Schedule(
            id: schedules[2 * index + 1], rule: .weekly([.monday, .wednesday, .friday]),
            times: times,
            unless: .done),
        ])
    }
  }

  /// Returns the payloads that create the habits.
  static func creation(of habits: [Habit]) -> [Payload] {
    habits.flatMap { habit in
      [.habitCreated(HabitFields(creating: habit))]
        + habit.schedules.map { .scheduleSet(ScheduleSet(habit: habit.id, schedule: $0)) }
    }
  }

  /// Returns events like those of a log after some years.
  ///
  /// Out of 20 events, 12 are entries, 4 mark days, 2 edit a habit, one sets a schedule, and one
  /// sets a pause that is over.
  static func mixed(_ indices: Range<Int>, habits: [Habit]) -> [Payload] {
    indices.map { index in
      let habit = habits[index % habits.count]
      let round = index / habits.count
      let date = CivilDate(rawValue: Int32(15_000 + round % 5_000))
      switch index % 20 {
      case 0..<12:
        return .entryRecorded(EntryRecorded(habit: habit.id, date: date, kind: .mark, value: 1000))
      case 12..<16:
        return .dayMarked(DayMarked(habit: habit.id, first: date, last: date, mark: .skip))
      case 16..<18:
        return .habitEdited(
          HabitFields(habit: habit.id, values: [.title: .text("Habit \(index)")]))
      case 18:
        return .scheduleSet(
          ScheduleSet(habit: habit.id, schedule: habit.schedules[round % habit.schedules.count]))
      default:
        var generator = SeededGenerator(seed: UInt64(index))
        return .pauseSet(
          Pause(id: .random(using: &generator), habit: habit.id, first: date, last: date))
      }
    }
  }

  /// Encodes payloads and computes their digests.
  static func events(_ payloads: [Payload]) throws -> [NewEvent] {
    try payloads.map { NewEvent(payload: try PayloadCoding.encode($0)) }
  }

  private static func time(_ minute: Int) throws -> TimeOfDay {
    guard let time = TimeOfDay(minute: minute % 1440) else {
      throw UsageError(index: minute, kind: "minute")
    }
    return time
  }

  /// Fills a log with the habits and with such events, until it holds `count` events.
  static func fill(_ log: any EventLog, _ count: Int) async throws {
    let habits = try habits(1_000)
    var start = Instant(milliseconds: now.milliseconds - Int64(count) * 1_000)
    let creation = try events(creation(of: habits))
    _ = try await log.record(creation, wallClock: start, expecting: nil)
    let rest = max(0, count - creation.count)
    for first in stride(from: 0, to: rest, by: 1_000) {
      start = Instant(milliseconds: start.milliseconds + 1_000_000)
      let mixed = mixed(first..<min(first + 1_000, rest), habits: habits)
      _ = try await log.record(events(mixed), wallClock: start, expecting: nil)
    }
  }

  /// Records habits as done, some minutes apart.
  ///
  /// - Parameters:
  ///   - offset: The first of the recorded habits.
  ///   - habitCount: The number of habits that are done in turn, each on successive dates.
  ///   - before: The number of entries recorded earlier.
  ///   - isRandom: Whether the order of the habits and the time between two entries are random.
  static func record(
    _ count: Int, from offset: Int, habits habitCount: Int = 20, after before: Int = 0,
    isRandom: Bool = false, in log: any EventLog
  ) async throws {
    let habits = try habits(1_000)
    var generator = SeededGenerator(seed: 5)
    for index in before..<before + count {
      let habit =
        isRandom ? Int.random(in: 0..<habitCount, using: &generator) : index % habitCount
      let delay = isRandom ? Int64.random(in: 0..<437_000, using: &generator) : 0
      let done = EntryRecorded(
        habit: habits[offset + habit].id,
        date: CivilDate(rawValue: Int32(20_781 + index / habitCount)), kind: .mark, value: 1000)
      let time = now.milliseconds + Int64(index) * 437_000 + delay
      _ = try await log.record(
        events([.entryRecorded(done)]), wallClock: Instant(milliseconds: time), expecting: nil)
    }
  }
}
