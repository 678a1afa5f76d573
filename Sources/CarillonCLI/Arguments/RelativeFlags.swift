import ArgumentParser
import Carillon
import CarillonDocuments

/// The flags that move a reminder before or after the rule's occurrences.
struct RelativeFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Remind this long before each occurrence, up to 365d; none removes the offset.",
      valueName: "15m"))
  var before: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "Remind this long after each occurrence, up to 365d; none removes the offset.",
      valueName: "15m"))
  var after: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "Count --before and --after from the occurrence's start (the default) or its end.",
      valueName: "start|end"))
  var of: Given<Schedule.Relative.Edge>?

  @Option(
    help: ArgumentHelp(
      "The length of an occurrence, in whole minutes; required by --of end.", valueName: "45m"))
  var duration: Given<DurationText>?

  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp(
      "Repeat the reminder: 2x5m is 2 more times, 5 minutes apart (1 to 100, 1m to 24h apart).",
      valueName: "2x5m"))
  var repeats: Given<RepeatText>?

  /// Whether any flag was given.
  var isGiven: Bool {
    before != nil || after != nil || of != nil || duration != nil || repeats != nil
  }

  /// Applies the given flags to a reminder's offset from its base rule; nil fires at the base.
  func edit(_ relative: inout Schedule.Relative?, to base: Schedule.Rule) throws {
    guard before == nil || after == nil else {
      throw CommandFailure.usage(
        "--before and --after cannot be used together", hint: "give one of them")
    }
    let offset =
      before == nil ? try after.change(for: "--after") : try before.change(for: "--before")
    switch offset {
    case .keep: break
    case .clear: relative = nil
    case .set(let duration):
      relative = relative ?? Schedule.Relative(to: base, offsetSeconds: 0)
      relative?.offsetSeconds = before == nil ? duration.seconds : -duration.seconds
    }
    // With --repeat alone, the first reminder fires at the occurrence itself.
    if relative == nil, case .keep = offset, case .set = try repeats.change(for: "--repeat") {
      relative = Schedule.Relative(to: base, offsetSeconds: 0)
    }
    guard var changed = relative else { return try requireNone() }
    guard base.namesDates else {
      throw CommandFailure.usage(
        "--before, --after and --repeat cannot be used with --interval, --after-done or --place",
        hint: "give --on, --every, --once or --rrule")
    }
    try edit(&changed)
    relative = changed
  }

  private func edit(_ relative: inout Schedule.Relative) throws {
    if let edge = try of.value(for: "--of") { relative.edge = edge }
    switch try duration.change(for: "--duration") {
    case .keep: break
    case .clear: relative.durationMinutes = 0
    case .set(let duration):
      guard duration.seconds % 60 == 0 else {
        throw CommandFailure.badValue(
          "--duration: \(duration.seconds)s is not a whole number of minutes",
          hint: "give a number of minutes, such as 45m")
      }
      relative.durationMinutes = duration.seconds / 60
    }
    switch try repeats.change(for: "--repeat") {
    case .keep: break
    case .clear: (relative.repeatCount, relative.repeatSeconds) = (0, 0)
    case .set(let text):
      (relative.repeatCount, relative.repeatSeconds) = (text.count, text.seconds)
    }
    guard of == nil && duration == nil || relative.edge == .start || relative.durationMinutes > 0
    else {
      throw CommandFailure.usage(
        "--of end requires --duration", hint: "give the length of an occurrence: --duration 45m")
    }
  }

  private func requireNone() throws(CommandFailure) {
    let names = [
      ("--of", of != nil), ("--duration", duration != nil), ("--repeat", repeats != nil),
    ]
    .filter(\.1).map(\.0)
    guard let name = names.first else { return }
    throw .usage("\(name) requires --before or --after", hint: "add --before 15m")
  }
}
