import Carillon
package import CarillonModel

/// The result of an export to another app: what was written, and what that app has no place for.
package struct ExportReport: Hashable, Sendable {
  /// Why something was left out.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The schedule fires at a place.
    case places
    /// The schedule fires at intervals of elapsed time.
    case intervals
    /// The schedule follows a rule or a zone that this build does not know.
    case unknown
    /// The schedule has several rules, or excludes one, which other apps read differently.
    case rules
    /// The rule has too many dates after they got their times.
    case dates
    /// The schedule is written without its condition, so it also fires if the habit is done.
    case conditions
    /// The schedule's treatment of quiet hours, its stop without activity, its thread, or a part of
    /// its content.
    case settings
    /// The habit's target, unit or goal.
    case targets
    /// The device that reminds of the habit.
    case owners
    /// The habit is paused until it is resumed: its events end before the pause.
    case pauses
    /// The rule has more skipped and paused dates than one event can leave out.
    case skips
    /// The app has one reminder for a habit, at one time on weekdays.
    case reminders
    /// The habit has no goal, and the app needs one: once a day is written.
    case goals
    /// The group, the owner, or the first and last date of a habit.
    case properties
    /// An amount that the app cannot store.
    case values
    /// The habit is deleted, archived, or the app cannot store it.
    case habits
  }

  /// Something that was left out.
  package struct Loss: Hashable, Sendable {
    /// The reason.
    package let reason: Reason
    /// The habit.
    package let habit: HabitID
    /// The habit's title.
    package let title: String
    /// The schedule; nil if the loss concerns the whole habit.
    package let schedule: ScheduleID?
  }

  /// The number of habits written; in a calendar, of those with an event.
  package internal(set) var habits = 0
  /// The number of reminders written: events of a calendar, or habits with a reminder.
  package internal(set) var reminders = 0
  /// The number of dates written.
  package internal(set) var entries = 0
  /// What was left out, in the order of the habits.
  package private(set) var losses: [Loss] = []

  /// Counts something that was left out.
  mutating func lose(_ reason: Reason, of habit: Habit, _ schedule: ScheduleID? = nil) {
    losses.append(Loss(reason: reason, habit: habit.id, title: habit.title, schedule: schedule))
  }
}

extension Schedule {
  /// Whether the schedule has settings that other apps do not have.
  var hasOwnSettings: Bool {
    quietPolicy != .deferred || stopAfterDays ?? 0 > 0 || thread != nil || content.sound != nil
      || content.level != nil || content.data.contains { $0.key != CalendarRevision.key }
  }
}
