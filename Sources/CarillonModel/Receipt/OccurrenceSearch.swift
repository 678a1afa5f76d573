internal import Foundation

/// Finds the occurrence for which a request id stands, by computing the ids of the days around now.
package struct OccurrenceSearch {
  private let habits: [Habit]
  private let calendar: CivilCalendar
  private let now: Instant

  /// How many civil days before and after now are looked at.
  package static let days = 8

  /// Makes a search over habits, archived and deleted ones among them, in a device's zone.
  package init(habits: [Habit], settings: PlanSettings, now: Instant) {
    self.habits = habits
    self.now = now.clamped(to: CivilCalendar.instants)
    calendar = CivilCalendar(zone: settings.zone)
  }

  /// The subject of a request of one occurrence, or of a repeating one: then its latest occurrence
  /// at or before now.
  ///
  /// - Complexity: O(times of all slots x days).
  package func subject(of request: String) -> ReceiptSubject? {
    for habit in habits {
      for slot in habit.slots {
        if let nominal = nominal(of: request, slot, habit.id) {
          return .occurrence(habit: habit.id, slot: slot.id, nominal: nominal)
        }
      }
    }
    return nil
  }

  /// The latest occurrence of a repeating request at or before now, of one slot.
  package func latest(of request: String, slot: SlotID, habit: HabitID) -> ReceiptSubject? {
    guard let slot = habits.first(where: { $0.id == habit })?.slots.first(where: { $0.id == slot })
    else { return nil }
    return nominal(of: request, slot, habit).map {
      .occurrence(habit: habit, slot: slot.id, nominal: $0)
    }
  }

  private func nominal(of request: String, _ slot: Slot, _ habit: HabitID) -> CivilDateTime? {
    guard let dates = RuleDates(slot.rule), let calendar = slot.zone.calendar(onDevice: calendar)
    else { return nil }
    let today = calendar.dateTime(at: now).date
    let repeats = request.hasPrefix("c1r.")
    // From the last date backwards: of a repeating request the latest occurrence is wanted.
    for offset in stride(from: Self.days, through: -Self.days, by: -1) {
      let date = today.adding(days: offset)
      guard dates.contains(date) else { continue }
      for time in slot.times.reversed() {
        let nominal = CivilDateTime(date: date, time: time)
        if repeats {
          guard let trigger = dates.repeatTrigger(of: nominal),
            let fireAt = calendar.instant(of: nominal), fireAt <= now,
            RequestID(habit: habit, slot: slot.id, trigger: trigger).description == request
          else { continue }
          return nominal
        } else if RequestID(habit: habit, slot: slot.id, nominal: nominal).description == request {
          return nominal
        }
      }
    }
    return nil
  }
}

extension SlotZone {
  /// The calendar by which its slots ring: the device's, or that of the fixed zone where this build
  /// knows it.
  func calendar(onDevice calendar: CivilCalendar) -> CivilCalendar? {
    guard case .fixed(let name) = self else { return calendar }
    return TimeZone(identifier: name).map(CivilCalendar.init)
  }
}
