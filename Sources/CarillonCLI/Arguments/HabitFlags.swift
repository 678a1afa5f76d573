import ArgumentParser
import Carillon
import CarillonDocuments

/// The flags that describe a habit.
struct HabitFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The amount per day, up to 1000000000, that makes the habit done; makes it a counted habit.",
      valueName: "n"))
  var target: Given<Amount>?

  @Option(
    help: ArgumentHelp(
      "The greatest amount per day with which the habit is still kept, such as 2 coffees, or 0 "
        + "for none; makes it a counted habit.", valueName: "n"))
  var atMost: Given<Amount>?

  @Option(
    help: ArgumentHelp(
      "The unit of the amount, such as pages; makes it a counted habit.", valueName: "text"))
  var unit: Given<String>?

  @Option(
    help: ArgumentHelp(
      "The group of habits whose reminders may be combined into one digest.", valueName: "name"))
  var group: Given<String>?

  @Option(
    help: ArgumentHelp(
      "The device that reminds: phoneFirst (the first recently active one of phone, tablet, watch "
        + "and desktop; the default), phone (one of the phones), watch (one of the watches), or "
        + "both (every device that may notify).",
      valueName: "owner"))
  var owner: Given<Habit.Owner>?

  @Option(
    help: ArgumentHelp("The habit's first date, such as tomorrow.", valueName: "date"))
  var start: Given<DateText>?

  @Option(
    help: ArgumentHelp("The habit's last date, such as 2026-12-31.", valueName: "date"))
  var end: Given<DateText>?

  @Option(
    help: ArgumentHelp(
      "How often to do it: 3/week is 3 times in each week from Monday to Sunday, 2/month in each "
        + "month, 3/7d in any 7 days; at most 1000 times in 366 days. 4/day is the same as "
        + "--target 4. A goal alone silences no reminder: --quota or --unless quota does.",
      valueName: "3/week"))
  var goal: Given<Quota>?

  @Option(
    help: ArgumentHelp(
      "The question that a reminder asks, such as \"Did you walk today?\".", valueName: "text"))
  var question: Given<String>?

  @Option(help: ArgumentHelp("Notes about the habit.", valueName: "text"))
  var notes: Given<String>?

  /// Whether any flag was given.
  var isGiven: Bool {
    target != nil || atMost != nil || unit != nil || group != nil || owner != nil || start != nil
      || end != nil || goal != nil || question != nil || notes != nil
  }

  /// Returns `, from Tue 1 Dec, to Mon 22 Nov 2027`, as far as these flags set the habit's dates.
  func datesText(of habit: Habit, _ time: LocalTime) -> String {
    let first = start == nil ? nil : habit.start.map { ", from \(time.text($0))" }
    let last = end == nil ? nil : habit.end.map { ", to \(time.text($0))" }
    return (first ?? "") + (last ?? "")
  }

  /// Applies the given flags to a habit; `none` clears an optional value.
  func edit(_ habit: inout Habit, today: CivilDate) throws {
    guard target == nil || atMost == nil else {
      throw CommandFailure.usage(
        "--target and --at-most cannot be used together", hint: "give one of them")
    }
    var bound =
      target == nil ? try atMost.change(for: "--at-most") : try target.change(for: "--target")
    var goal = try goal.change(for: "--goal")
    if case .set(let given) = goal, given.period.length == 1, given.count > 1 {
      // 4 times a day is a count of each date.
      guard target == nil, atMost == nil else {
        throw CommandFailure.usage(
          "--goal: several times a day are a --target, and another one is given",
          hint: "leave out --goal")
      }
      (bound, goal) = (.set(Amount(thousandths: Int64(given.count) * 1_000)), .clear)
    }
    switch bound {
    case .keep: break
    case .clear:
      (habit.target, habit.kind, habit.direction) = (nil, .yesNo, .atLeast)
    case .set(let amount):
      if amount == .zero, atMost == nil {
        throw CommandFailure.badValue(
          "--target: 0 would be reached by every entry", hint: "give --at-most 0 to keep it at none"
        )
      }
      (habit.target, habit.kind) = (amount, .count)
      habit.direction = atMost == nil ? .atLeast : .atMost
    }
    try unit.change(for: "--unit").apply(to: &habit.unit)
    if habit.unit != nil { habit.kind = .count }
    try group.change(for: "--group").apply(to: &habit.group)
    try start.change(for: "--start").map { $0.date(.future, today: today) }
      .apply(to: &habit.start)
    try end.change(for: "--end").map { $0.date(.future, today: today) }.apply(to: &habit.end)
    goal.apply(to: &habit.goal)
    try question.change(for: "--question").apply(to: &habit.question)
    try notes.change(for: "--notes").apply(to: &habit.notes)
    if let owner = try owner.value(for: "--owner") { habit.owner = owner }
  }
}
