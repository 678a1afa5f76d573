import ArgumentParser
import Carillon
import CarillonModel

/// `carillon today`: lists the habits with their states today and their next reminders.
struct TodayCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "today",
    abstract: "Show what is due and done today, and when each reminder fires next.",
    discussion: """
      If no command is given and there is a store, this one runs. A habit without a next \
      reminder says why. With --json, "today" is as in habit list, and "next" has the time, or the \
      reason and its words.
      """)

  @OptionGroup var global: GlobalOptions

  /// Whether the arguments name no command, only global options, and a store is given or found.
  static func isMeant(by given: [String]) -> Bool {
    guard let global = GlobalValues(alone: given[...]) else { return false }
    return (try? StorePlace(given: global.store).existing()) != nil
  }

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let habits = try await store.habits()
      let today = try await store.today()
      let state = try await store.state(range: today...today)
      let days = try await store.adherenceToday()
      let plan = try await store.plan()
      let reminders = try await Reminders(plan, of: habits, store, call.output)
      let rows = habits.map { habit in
        let said = TodayOfHabit(habit, state, today, days[habit.id] ?? .idle)
        return Row(
          habit: habit, today: said, text: said.text(habit, state, today),
          next: reminders.next(of: habit))
      }
      let none = rows.isEmpty ? try await store.noHabits(call.output) : nil
      let json: JSON = [
        "date": .text(today.description), "habits": .array(rows) { $0.json(call.output.time) },
        "blocked": .text(plan.blocked?.rawValue),
      ]
      try call.output.answer(json) {
        if let none { return none }
        return call.output.time.text(today) + "\n" + Self.table(rows, today, call.output)
          + (plan.leftOut.text(call.output.time).map { $0 + ".\n" } ?? "")
          + (plan.blocked.map { call.output.footer($0) } ?? "")
      }
    }
  }

  private static func table(_ rows: [Row], _ today: CivilDate, _ output: Output) -> String {
    var table = Table([
      .init(title: "habit", canShrink: true), .init(title: "today"),
      .init(title: "next reminder", wraps: true),
    ])
    for row in rows {
      let isOpen = row.today == .open
      table.add([
        .init(row.habit.title, isOpen ? .bold : .plain), .init(row.text, isOpen ? .plain : .dim),
        .init(row.next.text(output.time, today: today)),
      ])
    }
    return table.rendered(on: output.terminal)
  }
}

/// A habit's line.
private struct Row {
  let habit: Habit
  let today: TodayOfHabit
  let text: String
  let next: NextReminder

  func json(_ time: LocalTime) -> JSON {
    [
      "habit": .text(habit.id.description), "title": .text(habit.title),
      "today": .text(today.rawValue), "next": next.json(time),
    ]
  }
}

/// A habit's next reminder.
private enum NextReminder {
  case fires(Instant)
  /// A place is watched.
  case place
  /// The habit has no schedule with a time.
  case noSchedule
  /// Nothing is delivered on this device.
  case blocked(Blocked)
  /// The next occurrence, if there is one in the days ahead, does not fire on this device.
  case silent(Explanation?, words: String)

  /// - Parameter today: The date of the heading, which differs from the calendar's until the day
  ///   start.
  func text(_ time: LocalTime, today: CivilDate) -> String {
    switch self {
    case .fires(let instant):
      guard time.date(of: instant) == today else { return time.text(instant) }
      let distance = time.distance(to: instant)
      return "today \(time.clock(instant))" + (distance.isEmpty ? "" : ", \(distance)")
    case .place: return "at a place"
    case .noSchedule: return "none"
    case .blocked(let blocked): return Self.detail(blocked)
    case .silent(_, let words): return words
    }
  }

  private static func detail(_ blocked: Blocked) -> String {
    "not on this device: \(blocked.cause)"
  }

  func json(_ time: LocalTime) -> JSON {
    switch self {
    case .fires(let instant): ["fireAt": .text(time.rfc3339(instant))]
    case .place: ["place": .bool(true)]
    case .noSchedule: .null
    case .blocked(let blocked):
      ["reason": .text(blocked.rawValue), "detail": .text(Self.detail(blocked))]
    case .silent(let explanation, let words):
      ["reason": .text(explanation?.reason.rawValue), "detail": .text(words)]
    }
  }
}

/// The next reminders of habits, by a plan.
private struct Reminders {
  private let plan: NotificationPlan
  private let silent: [HabitID: Explanation]
  private let words: ReasonWords

  init(
    _ plan: NotificationPlan, of habits: [Habit], _ store: Store, _ output: Output
  ) async throws {
    self.plan = plan
    words = try await ReasonWords(store, output)
    let isComplete = habits.allSatisfy { habit in
      habit.schedules.isEmpty || plan.requests.contains { $0.isOf(habit) }
    }
    let next = isComplete ? [] : try await store.nextExplanations(limit: .max)
    silent = Dictionary(next.map { ($0.habit.id, $0.1) }) { first, _ in first }
  }

  func next(of habit: Habit) -> NextReminder {
    if let blocked = plan.blocked, plan.requests.contains(where: { $0.isOf(habit) }) {
      return .blocked(blocked)
    }
    if let instant = plan.nextFiring(of: habit.id) { return .fires(instant) }
    if plan.requests.contains(where: { $0.isOf(habit) }) { return .place }
    guard habit.schedules.contains(where: { !$0.times.isEmpty || $0.rule.hasOwnTimes }) else {
      return .noSchedule
    }
    guard let explanation = silent[habit.id] else {
      return .silent(nil, words: "no occurrence in the days ahead")
    }
    return .silent(explanation, words: words.text(explanation, of: habit))
  }
}

extension NotificationRequest {
  fileprivate func isOf(_ habit: Habit) -> Bool { occurrences.contains { $0.habit == habit.id } }
}
