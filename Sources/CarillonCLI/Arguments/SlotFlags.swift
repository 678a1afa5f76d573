import ArgumentParser
import Carillon

/// The flags that describe a slot: when it reminds, when it does not, and of what.
struct SlotFlags: ParsableArguments {
  @OptionGroup(title: "When it reminds") var rule: RuleFlags
  @OptionGroup(title: "Before or after that") var relative: RelativeFlags
  @OptionGroup(title: "When it stays silent") var silence: SilenceFlags
  @OptionGroup(title: "What it shows") var content: ContentFlags

  /// Whether any flag was given.
  var isGiven: Bool {
    rule.isGiven || relative.isGiven || silence.isGiven || content.isGiven
  }

  /// The slot that the flags describe.
  func slot(_ frame: SlotFrame) throws -> Slot {
    var slot = Slot(rule: .weekly(Set(Weekday.allCases)), times: [])
    try edit(&slot, frame)
    return slot
  }

  /// Changes what was given; `none` clears what may be absent.
  func edit(_ slot: inout Slot, _ frame: SlotFrame) throws {
    var (base, relation): (Rule, Relative?) = (slot.rule, nil)
    if case .relative(let known) = slot.rule { (base, relation) = (known.base, known) }
    try rule.edit(&base, &slot, frame)
    try relative.edit(&relation, to: base)
    relation?.base = base
    slot.rule = relation.map(Rule.relative) ?? base
    try silence.edit(&slot)
    try content.edit(&slot)
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
  func edit(_ slot: inout Slot) throws {
    try body.change(for: "--body").apply(to: &slot.content.body)
    try sound.change(for: "--sound").apply(to: &slot.content.sound)
    try level.change(for: "--level").apply(to: &slot.content.level)
    try thread.change(for: "--thread").apply(to: &slot.thread)
    guard let first = data.first else { return }
    slot.content.data = [:]
    guard data.count > 1 || first.text != "none" else { return }
    for item in data {
      let pair = try item.value(for: "--data")
      slot.content.data[pair.key] = pair.value
    }
  }
}
