import ArgumentParser
import Carillon

/// The flags that say when a schedule stays silent.
struct SuppressionFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Stay silent on dates when it is done, its --quota (or --goal) is met, or has any entry.",
      valueName: "done,quota,entry"))
  var unless: Given<OptionList<Condition>>?

  @Option(
    help: ArgumentHelp(
      "How often is enough: N/day, N/week (from Monday), N/month, or N/Dd for the last D days, "
        + "today's among them. What counts is dates that are done; for N/day, the sum of the "
        + "amounts. Implies --unless quota.", valueName: "3/week"))
  var quota: Given<Quota>?

  @Option(
    help: ArgumentHelp("Stay silent when it was done so shortly before.", valueName: "50m"))
  var unlessDoneWithin: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "In quiet hours: wait until they end, come without sound, or not at all; defer by default.",
      valueName: "defer|silent|drop"))
  var quietHours: Given<QuietPolicy>?

  @Option(
    help: ArgumentHelp(
      "Stop after so many days without activity; 7 by default with a condition, else never (0).",
      valueName: "days"))
  var stopAfter: Given<StopAfter>?

  /// Whether any flag was given.
  var isGiven: Bool {
    unless != nil || quota != nil || unlessDoneWithin != nil || quietHours != nil
      || stopAfter != nil
  }

  /// Changes what was given; `none` clears what may be absent.
  func edit(_ schedule: inout Schedule) throws {
    let conditions = try unless.change(for: "--unless")
    switch conditions {
    case .keep: break
    case .clear: schedule.unless = .none
    case .set(let list): schedule.unless = list.options
    }
    switch try quota.change(for: "--quota") {
    case .keep: break
    case .clear:
      schedule.quota = nil
      if !conditions.isGiven { schedule.unless.remove(.quota) }
    case .set(let quota):
      schedule.quota = quota
      schedule.unless.insert(.quota)
    }
    try unlessDoneWithin.change(for: "--unless-done-within").map(\.seconds)
      .apply(to: &schedule.doneWithinSeconds)
    switch try quietHours.change(for: "--quiet-hours") {
    case .keep: break
    case .clear: schedule.quietPolicy = .deferred
    case .set(let policy): schedule.quietPolicy = policy
    }
    try stopAfter.change(for: "--stop-after").map(\.days).apply(to: &schedule.stopAfterDays)
  }
}
