import ArgumentParser
import Carillon

/// The flags that describe a schedule: when it reminds, when it does not, and of what.
struct ScheduleFlags: ParsableArguments {
  @OptionGroup(title: "When it reminds") var rule: RuleFlags
  @OptionGroup(title: "Before or after that") var relative: RelativeFlags
  @OptionGroup(title: "When it stays silent") var suppression: SuppressionFlags
  @OptionGroup(title: "What it shows") var content: ContentFlags

  /// Whether any flag was given.
  var isGiven: Bool {
    rule.isGiven || relative.isGiven || suppression.isGiven || content.isGiven
  }

  /// The schedule that the flags describe.
  func schedule(_ frame: ScheduleFrame) throws -> Schedule {
    var schedule = Schedule(rule: .weekly(Set(Weekday.allCases)), times: [])
    try edit(&schedule, frame)
    return schedule
  }

  /// Changes what was given; `none` clears what may be absent.
  func edit(_ schedule: inout Schedule, _ frame: ScheduleFrame) throws {
    var (base, relation): (Rule, Relative?) = (schedule.rule, nil)
    if case .relative(let known) = schedule.rule { (base, relation) = (known.base, known) }
    try rule.edit(&base, &schedule, frame)
    try relative.edit(&relation, to: base)
    relation?.base = base
    schedule.rule = relation.map(Rule.relative) ?? base
    try suppression.edit(&schedule)
    try content.edit(&schedule)
  }
}

/// The flags that say what a notification shows.
struct ContentFlags: ParsableArguments {
  @Option(help: ArgumentHelp("The notification's text.", valueName: "text"))
  var body: Given<String>?

  @Option(help: ArgumentHelp("The notification's sound.", valueName: "name"))
  var sound: Given<String>?

  @Option(
    help: ArgumentHelp(
      "How much it may interrupt: passive, active, timeSensitive or critical.",
      valueName: "level"))
  var level: Given<InterruptionLevel>?

  @Option(help: ArgumentHelp("Data for the app; may be repeated.", valueName: "key=value"))
  var data: [Given<DataItem>] = []

  @Option(help: ArgumentHelp("Groups notifications.", valueName: "name"))
  var thread: Given<String>?

  /// Whether any flag was given.
  var isGiven: Bool {
    body != nil || sound != nil || level != nil || !data.isEmpty || thread != nil
  }

  /// Changes what was given; `none` clears what may be absent.
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
