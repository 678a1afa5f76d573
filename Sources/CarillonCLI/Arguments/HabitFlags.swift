import ArgumentParser
import Carillon

/// The flags that describe a habit.
struct HabitFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The amount per day, up to 1000000000, that makes the habit done; makes it a counted habit.",
      valueName: "n"))
  var target: Given<Amount>?

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

  @Option(help: ArgumentHelp("The habit's first date, YYYY-MM-DD.", valueName: "date"))
  var start: Given<CivilDate>?

  @Option(help: ArgumentHelp("The habit's last date, YYYY-MM-DD.", valueName: "date"))
  var end: Given<CivilDate>?

  @Option(
    help: ArgumentHelp(
      "How often to do it: 3/7d is 3 times in 7 days; at most 1000 times in 366 days.",
      valueName: "3/7d"))
  var goal: Given<Goal>?

  @Option(
    help: ArgumentHelp(
      "The question that a reminder asks, such as \"Did you walk today?\".", valueName: "text"))
  var question: Given<String>?

  @Option(help: ArgumentHelp("Notes about the habit.", valueName: "text"))
  var notes: Given<String>?

  /// Applies the given flags to a habit; `none` clears an optional value.
  func edit(_ habit: inout Habit) throws {
    switch try target.change(for: "--target") {
    case .keep: break
    case .clear:
      habit.target = nil
      habit.kind = .yesNo
    case .set(let amount):
      habit.target = amount
      habit.kind = .count
    }
    try unit.change(for: "--unit").apply(to: &habit.unit)
    if habit.unit != nil { habit.kind = .count }
    try group.change(for: "--group").apply(to: &habit.group)
    try start.change(for: "--start").apply(to: &habit.start)
    try end.change(for: "--end").apply(to: &habit.end)
    try goal.change(for: "--goal").apply(to: &habit.goal)
    try question.change(for: "--question").apply(to: &habit.question)
    try notes.change(for: "--notes").apply(to: &habit.notes)
    if let owner = try owner.value(for: "--owner") { habit.owner = owner }
  }
}
