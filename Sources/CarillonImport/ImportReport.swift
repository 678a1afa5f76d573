package import CarillonModel

/// The result of an import: what was added, what was already present, and what was left out.
public struct ImportReport: Hashable, Sendable {
  /// Habits that were added.
  public internal(set) var habits = 0
  /// Schedules that were added, one for each reminder.
  public internal(set) var schedules = 0
  /// Entries that were added.
  public internal(set) var entries = 0
  /// Dates that were marked as skipped.
  public internal(set) var skips = 0
  /// Dates that were marked as not done.
  public internal(set) var marks = 0
  /// Notes that were added to dates without an entry.
  public internal(set) var notes = 0
  /// Habits that were updated because the other app changed them since they were imported.
  public internal(set) var updated = 0
  /// Habits, entries, marks and notes that already existed in the store or were erased from it.
  public internal(set) var seen = 0
  /// Rows about a date that an earlier row of the file already covers.
  public internal(set) var repeated = 0
  /// Events of a calendar that the store itself exported; they are also counted as seen.
  package internal(set) var exported = 0
  /// Events of a calendar for which the habit of their siblings has no room, and which therefore
  /// are in a further habit.
  package internal(set) var overflow = 0
  /// Habits that the store has from a newer version of the calendar; they are also counted as seen.
  package internal(set) var older: [HabitID] = []
  /// The deleted habit of each new event of a calendar whose siblings are in that habit, and which
  /// therefore is left out.
  package internal(set) var deleted: [HabitID] = []
  /// Data that has no place in a store, by reason.
  public internal(set) var ignored: [Reason: Loss] = [:]

  /// Why data of another app was left out or changed.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Colors; habits have none.
    case colors
    /// Dates done by a rule, which the other app derives from other dates.
    case derived
    /// Timestamps that are not midnight UTC, dates outside 1970-01-01 to 2200-12-31, and events
    /// that end before they start.
    ///
    /// Events on these dates are not imported.
    case dates
    /// Values without a known meaning for a date.
    case values
    /// Repetitions whose habit is not in the file.
    case orphans
    /// Reminders at a nonexistent time or on no day.
    case reminders
    /// Goals outside 1 to 1000 times in 1 to 366 days.
    case goals
    /// Targets that are not positive or exceed 10^12 thousandths.
    case targets
    /// Texts above their limit; the full title or question is kept in the notes.
    case shortened
    /// Alarms by e-mail, at an unknown place, or beyond the limits.
    case alarms
    /// Events with a recurrence rule that is not supported; they are not imported.
    case recurrences
    /// Events in an unknown zone; they are not imported.
    case zones
    /// Cancelled events; they are not imported, and archived if they were imported before.
    case cancelled
    /// Events without an alarm; they are due, but have no reminder.
    case withoutAlarm
    /// Alarms beyond the first 16 of an event and its instances, or beyond the room that the
    /// person's own schedules leave.
    case tooManyAlarms
    /// Older versions of events that the file contains more than once.
    case repeats
    /// Parts of a calendar that are neither events nor to-dos.
    case components
    /// Properties such as attendees and attachments.
    case properties
    /// The seconds of an event's start time.
    case seconds
  }

  /// The number of times that something was left out, and the first occurrence.
  public struct Loss: Hashable, Sendable {
    /// The number of times; positive.
    public internal(set) var count: Int
    /// The first place in the file, in words.
    public let first: String
  }
}

extension ImportReport {
  /// All counts by name, without those that are 0: the `counts` of `import.finished`.
  public var counts: [String: Int64] {
    let own = [
      "habits": habits, "schedules": schedules, "entries": entries, "skips": skips, "marks": marks,
      "notes": notes,
      "updated": updated, "seen": seen, "repeated": repeated,
    ]
    let lost = ignored.map { ("ignored.\($0.key.rawValue)", $0.value.count) }
    return own.merging(lost) { $1 }.filter { $0.value != 0 }.mapValues(Int64.init)
  }

  /// Adds the counts of another batch.
  mutating func add(_ other: ImportReport) {
    habits += other.habits
    schedules += other.schedules
    entries += other.entries
    skips += other.skips
    marks += other.marks
    notes += other.notes
    updated += other.updated
    seen += other.seen
    repeated += other.repeated
    exported += other.exported
    overflow += other.overflow
    older += other.older
    deleted += other.deleted
    ignored.merge(other.ignored) { Loss(count: $0.count + $1.count, first: $0.first) }
  }
}

extension [ImportReport.Reason: ImportReport.Loss] {
  /// Counts one loss.
  mutating func add(_ reason: ImportReport.Reason, at place: @autoclosure () -> String) {
    if self[reason] == nil {
      self[reason] = ImportReport.Loss(count: 1, first: place())
    } else {
      self[reason]?.count += 1
    }
  }
}
