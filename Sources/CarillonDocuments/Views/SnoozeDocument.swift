package import Carillon
package import CarillonModel

/// What was snoozed, or why nothing could be.
package struct SnoozeDocument: Sendable {
  /// Why nothing could be snoozed, in words.
  package let nothing: String
  private let habit: HabitID
  private let report: SnoozeReport
  private let time: LocalTime

  /// Creates the document of a report.
  package init(
    _ report: SnoozeReport, of habit: Habit, _ store: Store, _ time: LocalTime,
    _ terms: Terms = .plain
  ) async throws {
    (self.report, self.habit, self.time) = (report, habit.id, time)
    nothing =
      if let obstacle = report.obstacle {
        try await ReasonWords(store, time, terms).text(obstacle: obstacle, of: habit)
      } else {
        "no reminder of \(habit.title) fired in the last 24 hours"
      }
  }

  /// `{habit,snoozed{}}`; with `detail` if nothing could be snoozed, and with `reason` if that is
  /// about the reminder that fired last.
  package var json: JSON {
    let snoozed: JSON = [
      "habit": .text(habit), "snoozed": report.reminder.map { $0.json(time) } ?? .null,
    ]
    guard report.reminder == nil else { return snoozed }
    let reason: JSON = report.obstacle.map { ["reason": .text($0.reason.rawValue)] } ?? [:]
    return snoozed.merging(reason).merging(["detail": .text(nothing)])
  }
}

extension SnoozedReminder {
  /// `{schedule,nominal,number,scheduledAt,until,replacedEnd,fireAt,silent}`.
  fileprivate func json(_ time: LocalTime) -> JSON {
    [
      "schedule": .text(occurrence.schedule.description),
      "nominal": .text(occurrence.nominal.description),
      "number": .integer(occurrence.number),
      "scheduledAt": .text(time.rfc3339(scheduledAt)), "until": .text(time.rfc3339(until)),
      "replacedEnd": .text(replacedEnd.map(time.rfc3339)),
      "fireAt": .text(time.rfc3339(fireAt)), "silent": .bool(isSilent),
    ]
  }
}
