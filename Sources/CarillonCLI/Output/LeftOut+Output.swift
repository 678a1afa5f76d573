import Carillon

/// The habits whose reminders do not all fit the system's queue, for people.
extension [LeftOutSchedule] {
  /// `Water does not fit from Sat 24 Oct 13:00 on; Gym bag does not fit: the system holds ...`, at
  /// most three habits.
  ///
  /// Each habit is named once, with its first reminder that does not fit. Nil if everything fits.
  ///
  /// - Parameter capacity: The number of notifications that the system can hold.
  func text(_ time: LocalTime, capacity: Int) -> String? {
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

  /// Returns the text as a paragraph that fits the terminal, or an empty text.
  func paragraph(_ output: Output, capacity: Int) -> String {
    guard let text = text(output.time, capacity: capacity).map({ $0 + "." }) else { return "" }
    let lines = output.terminal.width.map { text.wrapped(to: $0) } ?? [text]
    return lines.map { $0 + "\n" }.joined()
  }

  /// The schedules whose first missing reminder is less than a day away, and those of places.
  func soon(_ time: LocalTime) -> Self {
    let tomorrow = Instant(milliseconds: time.now.milliseconds + 86_400_000)
    return filter { left in left.since.map { $0 < tomorrow } ?? true }
  }

  /// The most habits that a text names.
  private static var named: Int { 3 }

  /// `[{"habit":ID,"schedule":ID,"title":TEXT,"since":RFC3339}]`; `since` is null for a place.
  func json(_ time: LocalTime) -> JSON {
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

extension Call {
  /// Returns a warning if a changed schedule does not fit the system's queue, or if another one
  /// does not fit since the change; otherwise nothing.
  ///
  /// - Parameters:
  ///   - before: The schedules that did not fit before the change.
  ///   - changed: The schedules that were changed.
  func queueWarnings(
    _ store: Store, before: [LeftOutSchedule], changed: [ScheduleID]
  ) async throws -> [String] {
    let known = Set(before.map(\.schedule)).subtracting(changed)
    let plan = try await store.plan()
    let new = plan.leftOut.filter { !known.contains($0.schedule) }
    return new.text(output.time, capacity: plan.capacity).map { [$0] } ?? []
  }
}
