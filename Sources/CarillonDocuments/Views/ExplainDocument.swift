package import Carillon
package import CarillonModel

/// Why each of a habit's reminders on a date will fire, or will not.
package struct ExplainDocument: Sendable {
  package let habit: Habit
  package let date: CivilDate
  /// The occurrences of the date, each with its explanation in words.
  package let occurrences: [(explanation: Explanation, text: String)]
  /// Why there is no occurrence, and what to do; nil if there are some.
  package let none: String?
  /// What the words of the occurrences are from.
  package let words: ReasonWords
  private let time: LocalTime

  /// Reads the occurrences of a date from a store.
  ///
  /// - Parameter refusal: Returns why this device did not show a notification.
  package init(
    _ store: Store, _ habit: Habit, on day: HabitDate, _ time: LocalTime, _ terms: Terms = .plain,
    refusal: @escaping ReasonWords.Refusal = { _, _ in nil }
  ) async throws {
    let words = try await ReasonWords(
      store, time, terms, ranOut: try await store.planRanOut(), refusal: refusal)
    (self.habit, self.words, self.time) = (habit, words, time)
    date = if case .date(let date) = day { date } else { try await store.today() }
    occurrences = try await store.explain(habit.id, on: day).map {
      ($0, words.text($0, of: habit))
    }
    none =
      occurrences.isEmpty
      ? habit.noReminders(
        on: date, waiting: try await Self.waiting(habit, in: store, time), time, terms) : nil
  }

  /// `{occurrences[],blocked,blockedSince}`, with `detail` if there are no occurrences.
  package var json: JSON {
    let answer: JSON = [
      "occurrences": .array(occurrences) { $0.explanation.json($0.text, time) },
      "blocked": .text(words.delivery.blocked?.rawValue),
      "blockedSince": .text(words.delivery.blockedSince.map(time.rfc3339)),
    ]
    return answer.merging(none.map { ["detail": .text($0)] } ?? [:])
  }

  /// Returns what the next reminder waits for; nil if it does not wait.
  private static func waiting(
    _ habit: Habit, in store: Store, _ time: LocalTime
  ) async throws -> String? {
    let words = try await WaitingWords(store, time)
    guard let next = try await store.nextExplanations(of: [habit.id]).first?.1 else {
      return words.entry(habit)
    }
    return words.later(next)
  }
}

extension Explanation {
  /// `{schedule,nominal,due,reason,detail,id,fireAt}` with the values behind the reason.
  func json(_ text: String, _ time: LocalTime) -> JSON {
    let common: JSON = [
      "schedule": .text(schedule.description),
      "nominal": .text(nominal.description), "due": .text(due.description),
      "reason": .text(reason.rawValue), "detail": .text(text),
      "id": .text(id.description), "fireAt": .text(fireAt.map(time.rfc3339)),
    ]
    return common.merging(values(time))
  }
}

extension Habit {
  /// Why the habit has no occurrence on a date, and what to do.
  ///
  /// - Parameter waiting: What its next reminder waits for, if that is known.
  fileprivate func noReminders(
    on date: CivilDate, waiting: String?, _ time: LocalTime, _ terms: Terms
  ) -> String {
    let (title, add) = (title.printable, terms(". To add one", .addReminder(self)))
    if schedules.isEmpty { return "\(title) has no reminders" + add }
    if schedules.allSatisfy({ $0.times.isEmpty && !$0.rule.hasOwnTimes }) {
      return "\(title) has no reminders, since its schedules have no times" + add
    }
    let none = "\(title) has no reminder on \(time.text(date))"
    if let waiting { return "\(none). The next one: \(waiting)" }
    return "\(none): no schedule of it includes the date" + terms(". To see them", .show(self))
  }
}
