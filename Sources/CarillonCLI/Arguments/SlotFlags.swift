import ArgumentParser
import Carillon
import Foundation

/// The flags that describe a slot: when it reminds, and of what.
struct SlotFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp("Weekdays, or ranges; every day by default.", valueName: "mon-wed,fri"))
  var on: [Given<WeekdayList>] = []

  @Option(
    help: ArgumentHelp("Times of day; without them nothing reminds.", valueName: "07:30,17:00"))
  var at: [Given<TimeList>] = []

  @Option(help: ArgumentHelp("Every n-th day, counted from --from.", valueName: "3d"))
  var every: Given<DayInterval>?

  @Option(
    help: ArgumentHelp("The date from which --every counts; today by default.", valueName: "date"))
  var from: Given<CivilDate>?

  @Option(help: ArgumentHelp("One date and time.", valueName: "2026-12-24T18:00"))
  var once: Given<CivilDateTime>?

  @Option(help: ArgumentHelp("Keep to one zone; by default the device's.", valueName: "tzid"))
  var fixedZone: Given<ZoneName>?

  @Option(help: ArgumentHelp("Stay silent when: done.", valueName: "done"))
  var unless: Given<ConditionList>?

  @Option(
    help: ArgumentHelp(
      "Stop after so many days without activity; 7 by default with --unless, else never (0).",
      valueName: "days"))
  var stopAfter: Given<StopAfter>?

  @Option(help: ArgumentHelp("The notification's text.", valueName: "text"))
  var body: Given<String>?

  @Option(help: ArgumentHelp("The notification's sound.", valueName: "name"))
  var sound: Given<String>?

  @Option(help: ArgumentHelp("Data for the app; may be repeated.", valueName: "key=value"))
  var data: [Given<DataItem>] = []

  @Option(help: ArgumentHelp("Groups notifications.", valueName: "name"))
  var thread: Given<String>?

  /// Whether any flag was given.
  var isGiven: Bool {
    namesRule || !at.isEmpty || from != nil || fixedZone != nil || unless != nil || stopAfter != nil
      || body != nil || sound != nil || !data.isEmpty || thread != nil
  }

  private var namesRule: Bool { !on.isEmpty || every != nil || once != nil }

  /// The slot that the flags describe.
  func slot(today: CivilDate) throws -> Slot {
    var slot = Slot(rule: .weekly(Set(Weekday.allCases)), times: [])
    try edit(&slot, today: today)
    return slot
  }

  /// Changes what was given; `none` clears what may be absent.
  func edit(_ slot: inout Slot, today: CivilDate) throws {
    try editDates(&slot, today: today)
    switch try fixedZone.change(for: "--fixed-zone") {
    case .keep: break
    case .clear: slot.zone = .floating
    case .set(let name): slot.zone = .fixed(name.zone.identifier)
    }
    switch try unless.change(for: "--unless") {
    case .keep: break
    case .clear: slot.unless = .none
    case .set(let list): slot.unless = list.condition
    }
    switch try stopAfter.change(for: "--stop-after") {
    case .keep: break
    case .clear: slot.stopAfterDays = nil
    case .set(let stop): slot.stopAfterDays = stop.days
    }
    try body.change(for: "--body").apply(to: &slot.content.body)
    try sound.change(for: "--sound").apply(to: &slot.content.sound)
    try thread.change(for: "--thread").apply(to: &slot.thread)
    try editData(&slot)
  }

  private func editDates(_ slot: inout Slot, today: CivilDate) throws {
    try requireOneRule()
    if let once = try once.value(for: "--once") {
      slot.rule = .once(once.date)
      slot.setTimes([once.time])
      return
    }
    if !on.isEmpty {
      slot.rule = .weekly(Set(try on.flatMap { try $0.value(for: "--on").days }))
    }
    let from = try from.value(for: "--from")
    if let interval = try every.value(for: "--every") {
      slot.rule = .everyDays(interval.days, from: from ?? anchor(of: slot) ?? today)
    } else if let from {
      guard case .everyDays(let days, _) = slot.rule else {
        throw CommandFailure.usage("--from goes with --every", hint: "give --every 3d as well")
      }
      slot.rule = .everyDays(days, from: from)
    }
    guard let first = at.first else { return }
    let isCleared = at.count == 1 && first.text == "none"
    slot.setTimes(isCleared ? [] : try at.flatMap { try $0.value(for: "--at").times })
  }

  private func anchor(of slot: Slot) -> CivilDate? {
    if case .everyDays(_, let anchor) = slot.rule { anchor } else { nil }
  }

  private func editData(_ slot: inout Slot) throws {
    guard let first = data.first else { return }
    slot.content.data = [:]
    guard data.count > 1 || first.text != "none" else { return }
    for item in data {
      let pair = try item.value(for: "--data")
      slot.content.data[pair.key] = pair.value
    }
  }

  private func requireOneRule() throws(CommandFailure) {
    let rules = [("--on", !on.isEmpty), ("--every", every != nil), ("--once", once != nil)]
      .filter(\.1).map(\.0)
    guard rules.count <= 1 else {
      throw .usage(
        "\(rules.joined(separator: " and ")) exclude each other", hint: "give one of them")
    }
    guard once == nil || at.isEmpty else {
      throw .usage("--once names its time itself; --at goes with dates", hint: "leave --at out")
    }
  }
}

/// The flags that describe a habit.
struct HabitFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp("How much makes the day done; makes it a counted habit.", valueName: "n"))
  var target: Given<Amount>?

  @Option(help: ArgumentHelp("What is counted.", valueName: "text"))
  var unit: Given<String>?

  @Option(
    help: ArgumentHelp(
      "Which device reminds: phoneFirst, phone, watch or both.", valueName: "owner"))
  var owner: String?

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
    try start.change(for: "--start").apply(to: &habit.start)
    try end.change(for: "--end").apply(to: &habit.end)
    try goal.change(for: "--goal").apply(to: &habit.goal)
    try question.change(for: "--question").apply(to: &habit.question)
    try notes.change(for: "--notes").apply(to: &habit.notes)
    guard let owner else { return }
    guard let known = Habit.Owner(rawValue: owner) else {
      let names = Habit.Owner.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure.badData("--owner: \"\(owner)\" is none", hint: "give one of \(names)")
    }
    habit.owner = known
  }
}
