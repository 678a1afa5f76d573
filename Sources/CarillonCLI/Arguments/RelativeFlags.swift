import ArgumentParser
import Carillon

/// The flags that put a reminder before or after what the rule names.
struct RelativeFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp("So long before each occurrence; none: at it.", valueName: "15m"))
  var before: Given<DurationText>?

  @Option(help: ArgumentHelp("So long after each occurrence; none: at it.", valueName: "15m"))
  var after: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "Whether --before and --after count from its start or its end.", valueName: "start|end"))
  var of: Given<Relative.Edge>?

  @Option(help: ArgumentHelp("How long an occurrence lasts, for --of end.", valueName: "45m"))
  var lasting: Given<DurationText>?

  @Option(
    help: ArgumentHelp("Repeats after the first: how often, how far apart.", valueName: "2x5m"))
  var again: Given<RepeatText>?

  /// Whether any flag was given.
  var isGiven: Bool {
    before != nil || after != nil || of != nil || lasting != nil || again != nil
  }

  /// Changes what was given of how a reminder stands to its base; nil: it fires at it.
  func edit(_ relative: inout Relative?, to base: Rule) throws {
    guard before == nil || after == nil else {
      throw CommandFailure.usage("--before and --after exclude each other", hint: "give one")
    }
    let offset =
      before == nil ? try after.change(for: "--after") : try before.change(for: "--before")
    switch offset {
    case .keep: break
    case .clear: relative = nil
    case .set(let duration):
      relative = relative ?? Relative(to: base, offsetSeconds: 0)
      relative?.offsetSeconds = before == nil ? duration.seconds : -duration.seconds
    }
    // Repeats alone: the first fires at the occurrence itself.
    if relative == nil, case .keep = offset, case .set = try again.change(for: "--again") {
      relative = Relative(to: base, offsetSeconds: 0)
    }
    guard var changed = relative else { return try requireNone() }
    guard base.namesDates else {
      throw CommandFailure.usage(
        "--before, --after and --again go with dates, not with --interval or --place",
        hint: "give --on, --every, --once or --rrule")
    }
    try edit(&changed)
    relative = changed
  }

  private func edit(_ relative: inout Relative) throws {
    if let edge = try of.value(for: "--of") { relative.edge = edge }
    switch try lasting.change(for: "--lasting") {
    case .keep: break
    case .clear: relative.durationMinutes = 0
    case .set(let duration):
      guard duration.seconds % 60 == 0 else {
        throw CommandFailure.badData(
          "--lasting: \(duration.seconds)s is no whole number of minutes", hint: "give 45m, say")
      }
      relative.durationMinutes = duration.seconds / 60
    }
    switch try again.change(for: "--again") {
    case .keep: break
    case .clear: (relative.repeatCount, relative.repeatSeconds) = (0, 0)
    case .set(let text):
      (relative.repeatCount, relative.repeatSeconds) = (text.count, text.seconds)
    }
    guard of == nil && lasting == nil || relative.edge == .start || relative.durationMinutes > 0
    else {
      throw CommandFailure.usage(
        "--of end counts from the end, and nothing says when that is",
        hint: "give how long it lasts as well: --lasting 45m")
    }
  }

  private func requireNone() throws(CommandFailure) {
    let names = [("--of", of != nil), ("--lasting", lasting != nil), ("--again", again != nil)]
      .filter(\.1).map(\.0)
    guard let name = names.first else { return }
    throw .usage("\(name) goes with --before or --after", hint: "give --before 15m as well")
  }
}

extension Rule {
  fileprivate var namesDates: Bool {
    switch self {
    case .once, .weekly, .everyDays, .recurrence: true
    case .interval, .relative, .place, .unknown: false
    }
  }
}
