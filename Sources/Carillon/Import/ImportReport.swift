/// What an import of another app's data added, met again, and had no place for.
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
  /// Habits that were changed as the other app changed them since they were added.
  public internal(set) var updated = 0
  /// Habits, entries, marks and notes that the store had met before.
  public internal(set) var seen = 0
  /// Rows that say of a date what an earlier one of the file said.
  public internal(set) var repeated = 0
  /// What has no place in a store, by reason.
  public internal(set) var ignored: [Reason: Loss] = [:]

  /// Why something of another app's data was left out or changed.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Habits have no color.
    case colors
    /// Dates done by a rule, which the other app derives from the others.
    case derived
    /// Dates that are no midnight UTC, or not from 1970-01-01 to 2200-12-31; events on them are not
    /// imported.
    case dates
    /// Values that say nothing known of a date.
    case values
    /// Repetitions whose habit is not there.
    case strays
    /// Reminders at a time that does not exist, or on no day.
    case reminders
    /// Goals outside of 1 to 1000 times in 1 to 366 days.
    case goals
    /// Targets that are not positive, or beyond 10^12 thousandths.
    case targets
    /// Texts that were longer than allowed; what a title or a question had more is in the notes.
    case shortened
    /// Alarms by e-mail, at a place that is not known, or beyond the limits.
    case alarms
    /// Events that recur by a rule that is not understood; they are not imported.
    case recurrences
    /// Events in a zone that is not known; they are not imported.
    case zones
    /// Events that were called off; they are not imported, and archived where they were.
    case cancelled
    /// Events without an alarm: they are due, and nothing reminds of them.
    case unreminded
    /// Alarms beyond 16 of one event and its instances.
    case crowded
    /// Events of which another version stands in the file.
    case repeats
    /// Parts of a calendar that are neither events nor to-dos.
    case components
    /// Properties such as attendees and attachments.
    case properties
    /// Seconds of the time at which an event begins.
    case seconds
  }

  /// How often something was left out, and where first.
  public struct Loss: Hashable, Sendable {
    /// How often; positive.
    public internal(set) var count: Int
    /// The first place in the file, for people.
    public let first: String
  }
}

extension ImportReport {
  /// All counts by name, what is 0 left out: the `counts` of `import.finished`.
  public var counts: [String: Int64] {
    let own = [
      "habits": habits, "schedules": schedules, "entries": entries, "skips": skips, "marks": marks,
      "notes": notes,
      "updated": updated, "seen": seen, "repeated": repeated,
    ]
    let lost = ignored.map { ("ignored.\($0.key.rawValue)", $0.value.count) }
    return own.merging(lost) { $1 }.filter { $0.value != 0 }.mapValues(Int64.init)
  }

  /// Adds what another batch did.
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
