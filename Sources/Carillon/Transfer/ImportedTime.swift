package import CarillonModel

/// The time of day of entries from other apps.
///
/// Other apps record the date but no time. Such an entry is recorded at midnight UTC of its date,
/// which is not a time at which anything was done.
package enum ImportedTime {
  /// The sources whose entries have dates only, with their names in IDs.
  package enum Source: String, CaseIterable {
    case loop, habitBull = "habitbull", calendar = "ics"
  }

  /// Returns the instant of an entry that has a date and no time.
  package static func ofDate(_ date: CivilDate) -> Instant {
    Instant(milliseconds: Int64(date.rawValue) * 86_400_000)
  }

  /// Returns when an entry was done, or nil if it was imported with its date only.
  package static func done(
    _ entry: EntryID, of habit: HabitID, on date: CivilDate, at instant: Instant
  ) -> Instant? {
    source(of: entry, of: habit, on: date, at: instant) == nil ? instant : nil
  }

  /// Returns the source of an entry that was imported with its date only, or nil.
  package static func source(
    of entry: EntryID, of habit: HabitID, on date: CivilDate, at instant: Instant
  ) -> String? {
    guard instant == ofDate(date) else { return nil }
    return Source.allCases.lazy.map(\.rawValue)
      .first { EntryID.imported(from: $0, habit: habit, date: date) == entry }
  }
}
