import CarillonModel

/// The schedules whose reminders do not all fit the system's queue.
extension [LeftOutSchedule] {
  /// `Water does not fit from Sat 24 Oct 13:00 on; Gym bag does not fit: the system holds ...`, at
  /// most three habits.
  ///
  /// Each habit is named once, with its first reminder that does not fit. Nil if everything fits.
  ///
  /// - Parameter capacity: The number of notifications that the system can hold.
  package func text(_ time: LocalTime, capacity: Int) -> String? {
    var habits: [LeftOutSchedule] = []
    for left in self where !habits.contains(where: { $0.habit == left.habit }) {
      habits.append(left)
    }
    guard !habits.isEmpty else { return nil }
    var parts = habits.prefix(Self.named).map { left in
      let since = left.since.map { " from \(time.text($0)) on" } ?? ""
      return "\(left.title.printable) does not fit\(since)"
    }
    let rest = habits.count - parts.count
    if rest > 0 { parts.append("nor do reminders of \(rest.counted("other habit"))") }
    return parts.joined(separator: "; ") + ": " + QueueWords.reason(capacity: capacity)
  }

  /// The schedules whose first missing reminder is less than a day away, and those of places.
  package func soon(_ time: LocalTime) -> Self {
    let tomorrow = Instant(milliseconds: time.now.milliseconds + 86_400_000)
    return filter { left in left.since.map { $0 < tomorrow } ?? true }
  }

  /// The most habits that a text names.
  private static var named: Int { 3 }

  /// `[{"habit":ID,"schedule":ID,"title":TEXT,"since":RFC3339}]`; `since` is null for a place.
  package func json(_ time: LocalTime) -> JSON {
    .array(self) { left in
      [
        "habit": .text(left.habit.description), "schedule": .text(left.schedule.description),
        "title": .text(left.title), "since": .text(left.since.map(time.rfc3339)),
      ]
    }
  }
}

/// Why a reminder does not fit the system's queue.
enum QueueWords {
  /// Returns the limit, and what makes room.
  static func reason(capacity: Int) -> String {
    "the system holds \(capacity.counted("notification")), and others come first; each new plan "
      + "adds what then fits, and fewer reminders make room"
  }
}
