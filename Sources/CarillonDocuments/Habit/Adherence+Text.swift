package import CarillonModel

extension Adherence {
  /// The strength, such as `64 %`.
  ///
  /// A habit with a maximum has its full strength from the start, which its first dates confirm.
  package func strengthText(of habit: Habit) -> String {
    let percent = "\(Int((strength * 100).rounded())) %"
    let isConfirmed = days.contains(.done) || days.contains(.missed)
    return habit.isMaximum && !isConfirmed ? "\(percent) to begin with" : percent
  }

  /// The current and the longest streak, such as `5 days since Mon 2 Nov, longest 12 days to ...`.
  package func streakText(_ time: LocalTime) -> String {
    guard let longest else { return "none yet" }
    let current = streak.map { "\(Self.days($0.length)) since \(time.text($0.dates.lowerBound))" }
    guard longest != streak else { return "\(current ?? ""), the longest so far" }
    return "\(current ?? "none now"), longest \(Self.days(longest.length))"
      + " to \(time.text(longest.dates.upperBound))"
  }

  /// The last 3 months, newest first, such as `Nov 11 of 14, Oct 20 of 31, Sep 8 of 10`.
  package var monthsText: String {
    months(3).reversed().filter { $0.dates.upperBound >= first }.map { month in
      "\(LocalTime.monthName(of: month.dates.lowerBound)) \(month.text)"
    }.joined(separator: ", ")
  }

  package static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}

extension Adherence.Period {
  /// `2 of 3`, or a dash if nothing was due yet.
  package var count: String { due == 0 ? "—" : "\(done) of \(due)" }

  /// `2 of 3`, with `so far` while a goal of the whole period can still be reached.
  package var text: String { count + (isUndecided ? " so far" : "") }
}

extension Adherence.Day {
  /// The character for calendars.
  package var symbol: String {
    switch self {
    case .done: "●"
    case .covered: "◐"
    case .late: "◔"
    case .missed: "✗"
    case .open: "○"
    case .skipped: "–"
    case .paused: "="
    case .idle: "·"
    case .absent: " "
    }
  }

  /// The character's meaning.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .covered: "goal reached"
    case .late: "done late"
    case .missed: "missed"
    case .open: "still open"
    case .skipped: "skipped"
    case .paused: "paused"
    case .idle: "does not count"
    case .absent: "no such date"
    }
  }
}
