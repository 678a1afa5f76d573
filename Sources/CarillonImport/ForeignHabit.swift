import Carillon
import CarillonModel
import Foundation

/// A habit as another app stores it, before the store's limits are applied.
struct ForeignHabit {
  /// The habit's identity in the other app.
  var key: ImportKey
  var title: String
  var question: String?
  var notes: String?
  var group: String?
  /// Whether the habit counts amounts.
  var isNumerical = false
  var unit: String?
  /// In thousandths.
  var target: Int64?
  var isAtMost = false
  /// The number of times in a number of days; nil if not given.
  var frequency: (count: Int64?, days: Int64?) = (nil, nil)
  var position: Int64?
  var isArchived = false
  /// The days are a bit mask whose lowest bit is Saturday.
  var reminder: (hour: Int64, minute: Int64, days: Int64)?
  var hasColor = false

  /// Returns the habit with its derived ID, within all limits.
  ///
  /// Counts whatever does not fit.
  func habit(
    from source: String, at place: String,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) -> Habit {
    let id = HabitID.imported(from: source, key)
    var habit = Habit(id: id, title: "")
    setTexts(of: &habit, at: place, &ignored)
    habit.kind = isNumerical ? .count : .yesNo
    if isNumerical {
      habit.direction = isAtMost ? .atMost : .atLeast
      habit.target = target.flatMap {
        (1...Amount.maxThousandths).contains($0) ? Amount(thousandths: $0) : nil
      }
      if habit.target == nil, let target, target != 0 { ignored.add(.targets, at: place) }
    }
    habit.goal = goal
    if habit.goal == nil, frequency != (nil, nil) { ignored.add(.goals, at: place) }
    habit.position = position.map { min(max($0, -Habit.maxPosition), Habit.maxPosition) }
    habit.isArchived = isArchived
    if reminder != nil {
      habit.schedules = [schedule(of: id)].compactMap(\.self)
      if habit.schedules.isEmpty { ignored.add(.reminders, at: place) }
    }
    if hasColor { ignored.add(.colors, at: place) }
    return habit
  }

  // MARK: - Parts

  /// Sets the texts within their limits.
  ///
  /// A title or question that is too long is kept whole in the notes.
  private func setTexts(
    of habit: inout Habit, at place: String,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) {
    var shortened = 0
    let most = Int(Limit.maxShortBytes)
    func fit(_ text: String?, _ maxBytes: Int) -> String? {
      guard let text, !text.isEmpty else { return nil }
      let whole = text.precomposedStringWithCanonicalMapping
      let cut = whole.cut(toBytes: maxBytes)
      if cut != whole { shortened += 1 }
      return cut
    }
    habit.title = fit(title, most).flatMap { $0.isVisible ? $0 : nil } ?? "Untitled"
    habit.question = fit(question, most)
    habit.unit = fit(unit, most)
    habit.group = fit(group, most)
    let overflow = [title, question ?? ""].filter {
      $0.precomposedStringWithCanonicalMapping.utf8.count > most
    }
    let paragraphs = (overflow + [notes ?? ""]).filter { !$0.isEmpty }
    habit.notes = fit(paragraphs.joined(separator: "\n\n"), Int(Limit.maxLongBytes))
    for _ in 0..<shortened { ignored.add(.shortened, at: place) }
  }

  private var goal: Quota? {
    guard let count = frequency.count.flatMap(Int.init(exactly:)),
      let days = frequency.days.flatMap(Int.init(exactly:))
    else { return nil }
    return Quota(count: count, per: .rolling(days: days))
  }

  private func schedule(of habit: HabitID) -> Schedule? {
    guard let reminder, (0..<24).contains(reminder.hour), (0..<60).contains(reminder.minute),
      let time = TimeOfDay(minute: Int(reminder.hour * 60 + reminder.minute))
    else { return nil }
    let order: [Weekday] = [
      .saturday, .sunday, .monday, .tuesday, .wednesday, .thursday, .friday,
    ]
    let days = order.indices.filter { reminder.days & (1 << $0) != 0 }.map { order[$0] }
    guard !days.isEmpty else { return nil }
    return Schedule(
      id: .imported(of: habit), rule: .weekly(Set(days)), times: [time], unless: .done)
  }
}
