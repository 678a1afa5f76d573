import Carillon
import CarillonDocuments
import CarillonModel

extension NotificationPlan {
  /// Returns the time at which a habit's next notification fires, or nil if none is planned.
  ///
  /// - Parameter schedule: The schedule of the notification; nil for any.
  func nextFiring(of habit: HabitID, _ schedule: ScheduleID? = nil) -> Instant? {
    requests.compactMap { request in
      request.occurrences.contains { one in
        one.habit == habit && (schedule == nil || one.schedule == schedule)
      } ? request.fireAt : nil
    }.min()
  }
}

extension Store {
  /// Returns `; it next fires on Mon 23 Nov 17:00`, or why it does not; an empty text if nothing is
  /// delivered on this device, or no occurrence is ahead.
  ///
  /// - Parameter schedule: The schedule of the notification; nil for any.
  func nextFiringText(
    of habit: Habit, _ schedule: ScheduleID?, _ output: Output
  ) async throws -> String {
    let plan = try await plan()
    guard plan.blocked == nil else { return "" }
    let explained = try await nextExplanations(of: [habit.id], schedule: schedule).first?.1
    if let next = plan.nextFiring(of: habit.id, schedule) {
      let isMoved = explained?.fireAt == next && explained?.detail == .moved(by: .quietHours)
      return "; it next fires on \(output.time.text(next))"
        + (isMoved ? ", when quiet hours end" : "")
    }
    guard schedule != nil, let next = explained, next.reason != .planned else { return "" }
    if let later = try await WaitingWords(self, output.time).later(next) {
      return "; it next fires \(later)"
    }
    let words = try await ReasonWords(self, output.time, output.terms)
    return "; not planned: " + words.text(next, of: habit)
  }
}
