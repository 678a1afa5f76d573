import CarillonModel

/// The versions of the events from which a habit was made, by its schedules.
struct CalendarRevisions {
  /// The age of events, compared to others.
  enum Age {
    case older, newer
    /// Nothing shows which ones are older.
    case undecided
  }

  private let revisions: [ScheduleID: CalendarRevision]

  /// Creates the versions of a habit; nil if none of its schedules comes from a calendar.
  init?(of habit: Habit) {
    revisions = Dictionary(
      habit.schedules.compactMap { one in one.revision.map { (one.id, $0) } }
    ) { first, _ in first }
    if revisions.isEmpty { return nil }
  }

  /// Whether the events have other contents, or are other events.
  func differ(from other: Self) -> Bool {
    Set(revisions.values.map(\.digest)) != Set(other.revisions.values.map(\.digest))
  }

  /// Returns whether the events are older or newer than others.
  ///
  /// Only events that both have are compared. So an event can be removed even if it was the newest
  /// one of its habit. If no event is in both, the newest stamps are compared.
  func age(comparedTo other: Self) -> Age {
    var (isOlder, isNewer, isApart) = (false, false, true)
    for (schedule, revision) in revisions {
      guard let before = other.revisions[schedule] else { continue }
      isApart = false
      if revision.isOlder(than: before) { isOlder = true }
      if before.isOlder(than: revision) { isNewer = true }
    }
    if isApart {
      isOlder = newestStamp < other.newestStamp
      isNewer = newestStamp > other.newestStamp
    }
    return isOlder == isNewer ? .undecided : isOlder ? .older : .newer
  }

  private var newestStamp: String { revisions.values.map(\.stamp).max() ?? "" }
}
