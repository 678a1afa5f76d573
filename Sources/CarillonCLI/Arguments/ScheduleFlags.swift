import ArgumentParser
import Carillon

/// The flags that describe a schedule: when it reminds, when it does not, and what it shows.
struct ScheduleFlags: ParsableArguments {
  @OptionGroup(title: "When to remind") var rule: RuleFlags
  @OptionGroup(title: "Before or after that") var relative: RelativeFlags
  @OptionGroup(title: "When not to remind") var suppression: SuppressionFlags
  @OptionGroup(title: "What to show") var content: ContentFlags

  /// Whether any flag was given.
  var isGiven: Bool {
    rule.isGiven || relative.isGiven || suppression.isGiven || content.isGiven
  }

  /// Returns the schedule that the flags describe.
  func schedule(_ frame: ScheduleFrame) throws -> Schedule {
    var schedule = Schedule(rule: .weekly(Set(Weekday.allCases)), times: [])
    try edit(&schedule, frame)
    return schedule
  }

  /// Applies the given flags to a schedule; `none` clears an optional value.
  func edit(_ schedule: inout Schedule, _ frame: ScheduleFrame) throws {
    var (base, relation): (Schedule.Rule, Schedule.Relative?) = (schedule.rule, nil)
    if case .relative(let known) = schedule.rule { (base, relation) = (known.base, known) }
    try rule.edit(&base, &schedule, frame)
    try relative.edit(&relation, to: base)
    relation?.base = base
    schedule.rule = relation.map(Schedule.Rule.relative) ?? base
    try suppression.edit(&schedule)
    try content.edit(&schedule)
  }
}

/// The flags that set what a notification shows.
struct ContentFlags: ParsableArguments {
  @Option(help: ArgumentHelp("The notification's text.", valueName: "text"))
  var body: Given<String>?

  @Option(help: ArgumentHelp("The notification's sound.", valueName: "name"))
  var sound: Given<String>?

  @Option(
    help: ArgumentHelp(
      "The interruption level: passive, active, timeSensitive or critical.",
      valueName: "level"))
  var level: Given<InterruptionLevel>?

  @Option(
    help: ArgumentHelp(
      "Data for the app; may be repeated, up to 16 keys and 2000 bytes in total.",
      valueName: "key=value"))
  var data: [Given<DataItem>] = []

  @Option(
    help: ArgumentHelp("Show notifications of the same thread as a group.", valueName: "name"))
  var thread: Given<String>?

  /// Whether any flag was given.
  var isGiven: Bool {
    body != nil || sound != nil || level != nil || !data.isEmpty || thread != nil
  }

  /// Applies the given flags to a schedule; `none` clears an optional value.
  func edit(_ schedule: inout Schedule) throws {
    try body.change(for: "--body").apply(to: &schedule.content.body)
    try sound.change(for: "--sound").apply(to: &schedule.content.sound)
    try level.change(for: "--level").apply(to: &schedule.content.level)
    try thread.change(for: "--thread").apply(to: &schedule.thread)
    guard let first = data.first else { return }
    schedule.content.data = [:]
    guard data.count > 1 || first.text != "none" else { return }
    for item in data {
      let pair = try item.value(for: "--data")
      schedule.content.data[pair.key] = pair.value
    }
  }
}
