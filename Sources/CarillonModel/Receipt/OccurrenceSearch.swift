internal import Foundation

/// Finds the occurrences for which a request id stands, by computing the ids of the days around
/// now.
package struct OccurrenceSearch {
  private let habits: [Habit]
  private let calendar: CivilCalendar
  private let dayStart: TimeOfDay
  private let now: Instant

  /// How many civil days before and after now are looked at.
  package static let days = 8

  /// Makes a search over habits, archived and deleted ones among them, in a device's zone.
  package init(habits: [Habit], settings: PlanSettings, now: Instant) {
    self.habits = habits
    self.now = now.clamped(to: CivilCalendar.instants)
    dayStart = settings.dayStart
    calendar = CivilCalendar(zone: settings.zone)
  }

  /// The subject of a request of one occurrence.
  ///
  /// - Complexity: O(times of all slots x days).
  package func subject(of request: String) -> ReceiptSubject? {
    for habit in habits {
      for slot in habit.slots {
        let found = occurrences(of: slot, around: calendar).first {
          RequestID(habit: habit.id, slot: slot.id, nominal: $0).description == request
        }
        if let found { return .occurrence(habit: habit.id, slot: slot.id, nominal: found) }
      }
    }
    return nil
  }

  /// The slot of a repeating request, with its occurrences around now.
  ///
  /// - Complexity: O(times of all slots x days).
  package func repetition(of request: String) -> Repetition? {
    for habit in habits {
      for slot in habit.slots {
        guard let dates = RuleDates(slot.rule),
          let calendar = slot.zone.calendar(onDevice: calendar)
        else { continue }
        let own = occurrences(of: slot, around: calendar).filter { nominal in
          dates.repeatTrigger(of: nominal).map {
            RequestID(habit: habit.id, slot: slot.id, trigger: $0).description == request
          } ?? false
        }
        guard !own.isEmpty else { continue }
        return repetition(own, of: slot, habit, calendar)
      }
    }
    return nil
  }

  private func repetition(
    _ nominals: [CivilDateTime], of slot: Slot, _ habit: Habit, _ calendar: CivilCalendar
  ) -> Repetition {
    var latest: (nominal: CivilDateTime, fireAt: Instant)?
    for nominal in nominals {
      if let start = habit.start, nominal.dueDate(dayStart: dayStart) < start { continue }
      guard let fireAt = calendar.instant(of: nominal) else { continue }
      if fireAt > now {
        return Repetition(habit: habit, slot: slot.id, latest: latest, next: nominal)
      }
      latest = (nominal, fireAt)
    }
    return Repetition(habit: habit, slot: slot.id, latest: latest, next: nil)
  }

  /// The occurrences of a slot on the days around now, ascending.
  private func occurrences(of slot: Slot, around calendar: CivilCalendar) -> [CivilDateTime] {
    guard let dates = RuleDates(slot.rule), let calendar = slot.zone.calendar(onDevice: calendar)
    else { return [] }
    let today = calendar.dateTime(at: now).date
    return (-Self.days...Self.days).map { today.adding(days: $0) }.filter(dates.contains)
      .flatMap { date in slot.times.map { CivilDateTime(date: date, time: $0) } }
  }
}

/// What a repeating request stands for around now.
package struct Repetition: Sendable {
  /// The habit that it reminds of.
  package let habit: Habit
  /// The slot whose rule and time it comes from.
  package let slot: SlotID
  /// Its latest occurrence at or before now, by the slot as it is, with when it fired; nil where
  /// the habit had not begun by then.
  package let latest: (nominal: CivilDateTime, fireAt: Instant)?
  /// Its next occurrence after now, where it is near.
  package let next: CivilDateTime?
}

extension Slot {
  /// Whether a civil date and time is one of its occurrences.
  package func occurs(at nominal: CivilDateTime) -> Bool {
    times.contains(nominal.time) && RuleDates(rule)?.contains(nominal.date) ?? false
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
