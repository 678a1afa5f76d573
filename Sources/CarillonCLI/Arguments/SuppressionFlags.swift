import ArgumentParser
import Carillon

/// The flags that set when a schedule does not remind.
struct SuppressionFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Do not remind on a date on which the habit is done, its --quota (or else --goal) is met, or "
        + "it has any entry.",
      valueName: "done,quota,entry"))
  var unless: Given<OptionList<Schedule.Condition>>?

  @Option(
    help: ArgumentHelp(
      "How often is enough: N/day, N/week (from Monday), N/month, or N/Dd for the last D days "
        + "including today. Counts dates that are done; N/day counts the sum of the amounts. "
        + "Implies --unless quota.", valueName: "3/week"))
  var quota: Given<Quota>?

  @Option(
    help: ArgumentHelp(
      "Do not remind if the habit was done within this time before the reminder, 1m to 365d.",
      valueName: "50m"))
  var unlessDoneWithin: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "In quiet hours, remind when they end (defer, the default), without sound (silent), not at "
        + "all (drop), or at its time (fire).",
      valueName: "defer|silent|drop|fire"))
  var quietHours: Given<QuietPolicy>?

  @Option(
    help: ArgumentHelp(
      "Stop after this many days without activity, 0 (never) to 3650 (default: 7 for a reminder "
        + "with --unless, --quota or --unless-done-within, else 0).",
      valueName: "days"))
  var stopAfter: Given<StopAfter>?

  /// Whether any flag was given.
  var isGiven: Bool {
    unless != nil || quota != nil || unlessDoneWithin != nil || quietHours != nil
      || stopAfter != nil
  }

  /// Applies the given flags to a schedule; `none` clears an optional value.
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
    if let unlessDoneWithin, unlessDoneWithin.text != "none" {
      schedule.doneWithinSeconds = try unlessDoneWithin.duration(
        for: "--unless-done-within", in: DurationText.minuteToYear, such: "50m"
      ).seconds
    } else if unlessDoneWithin != nil {
      schedule.doneWithinSeconds = nil
    }
    switch try quietHours.change(for: "--quiet-hours") {
    case .keep: break
    case .clear: schedule.quietPolicy = .deferred
    case .set(let policy): schedule.quietPolicy = policy
    }
    try stopAfter.change(for: "--stop-after").map(\.days).apply(to: &schedule.stopAfterDays)
  }
}
