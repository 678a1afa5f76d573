import Carillon
import CarillonDocuments

/// The snoozes that were to fire before a verb changed something.
struct SnoozesBefore {
  private let habit: Habit?
  private let snoozes: [ComingSnooze]

  /// - Parameter habit: Nil for all habits.
  init(of habit: Habit?, in store: Store) async throws {
    self.habit = habit
    snoozes = try await store.snoozes(of: habit?.id)
  }

  /// Returns a sentence, after a space, for each snooze that the verb ended or brought back.
  func changes(in store: Store, _ time: LocalTime) async throws -> String {
    let now = try await store.snoozes(of: habit?.id)
    let ended = snoozes.filter { one in !now.contains { $0.isSame(as: one) } }.map { one in
      let snooze = habit == nil ? "The snooze of \(one.habit.title)" : "Its snooze"
      return " \(snooze) until \(time.shortText(one.until)) is ended."
    }
    let back = now.filter { one in !snoozes.contains { $0.isSame(as: one) } }.map { one in
      let until = time.text(snoozedUntil: one.until, fireAt: one.fireAt)
      return " \(habit == nil ? one.habit.title : "It") is snoozed \(until)."
    }
    return (ended + back).joined()
  }
}

extension ComingSnooze {
  fileprivate func isSame(as other: ComingSnooze) -> Bool {
    request == other.request && until == other.until
  }
}
