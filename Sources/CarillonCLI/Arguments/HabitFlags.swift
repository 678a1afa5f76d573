import ArgumentParser
import Carillon

/// The flags that describe a habit.
struct HabitFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp("How much makes the day done; makes it a counted habit.", valueName: "n"))
  var target: Given<Amount>?

  @Option(help: ArgumentHelp("What is counted.", valueName: "text"))
  var unit: Given<String>?

  @Option(
    help: ArgumentHelp(
      "The group with whose reminders its own are gathered in digests; none: no group.",
      valueName: "name"))
  var group: Given<String>?

  @Option(
    help: ArgumentHelp(
      "Which device reminds: phoneFirst, by default (a phone before a tablet, a watch and a "
        + "desktop, of those heard of lately), phone (one of the phones, nothing else), watch (one "
        + "of the watches), or both (each device that may notify).",
      valueName: "owner"))
  var owner: Given<Habit.Owner>?

  @Option(help: ArgumentHelp("The first date that counts.", valueName: "date"))
  var start: Given<CivilDate>?

  @Option(help: ArgumentHelp("The last date that counts.", valueName: "date"))
  var end: Given<CivilDate>?

  @Option(help: ArgumentHelp("How often it wants to be done.", valueName: "3/7d"))
  var goal: Given<Goal>?

  @Option(help: ArgumentHelp("What a reminder asks.", valueName: "text"))
  var question: Given<String>?

  @Option(help: ArgumentHelp("Anything else.", valueName: "text"))
  var notes: Given<String>?

  /// Changes what was given; `none` clears what may be absent.
  func edit(_ habit: inout Habit) throws {
    switch try target.change(for: "--target") {
    case .keep: break
    case .clear:
      habit.target = nil
      habit.kind = .yesNo
    case .set(let amount):
      habit.target = amount.thousandths
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
