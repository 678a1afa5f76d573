import ArgumentParser

/// `carillon help times`: the dates, times and durations that all commands take.
struct TimesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: ArgumentOrder.topicOfTimes,
    abstract: "The dates, times and durations that all commands take.",
    shouldDisplay: false)

  func run() throws {
    try ByteOutput.standardOutput.write(Self.text)
  }

  static let text = """
    All commands take the same dates, times and durations, in upper or lower case. After an option,
    what has a space needs no quotes: --on last friday, --every 3 days

    dates      today, yesterday, tomorrow
               monday or mon, and so on; last fri, next fri
               2 days ago, a week ago, in 3 days
               2026-11-20, 2026/11/20, 20.11.2026
               20 nov, nov 20 2026, 20.11.
               20/11/2026 or 11/20/2026, if only one reading has a month

      A weekday, or a date without its year, is the nearest one, today included: the latest one for
      done, undo, note and entry, and for --until of restore and rebuild and --before of receipts;
      the next one for all other commands, and for --now. The answer names the date. last fri and
      next fri are never today. undo also takes the next one, if only that has something to undo.
      skip takes several dates with commas: --on wed,fri

    times      7, 7:00, 07:00, 19.30, 7pm, 7:30pm, noon, midnight
               several with commas: --at 7:30,5pm

    moments    tomorrow 7pm, fri at 18:00, 2026-11-20T18:00, 2026-11-20T18:00:00+01:00
               a time alone is today's: --at 7:12; for snooze --until the next one
               a date alone is until its end for --until of restore and rebuild

      A time that the clocks repeat in autumn is the first one, and for snooze --until the next one.
      One that they skip in spring is as much later. A warning names it. With an offset, or Z for
      UTC, it is exact. --once takes whole minutes.

    durations  90s, 15m, 2h, 1h30m, 3d, 2w, 2 weeks; a day of snooze --for is a calendar day
    days       3d, 2w, 3 days, day, week, other day
    weekdays   mon,wed-fri, weekdays, weekends, daily
    hours      22-7, 22:00-07:00, 8am-8pm; the end is not included
    repeats    2x5m: 2 more times, 5 minutes apart
    how often  3/day, 3/week, "3 times a week", 3/month, 3/5d; digest 3/5m

    Examples:
      carillon done Walk --on yesterday
      carillon habit add Dentist --once tomorrow --at 14:30 --before 1h30m
      carillon habit add Bins --every 2w --from thu --at 7am
      carillon settings set quietHours 22-7

    """
}
