package import CarillonModel

extension Schedule {
  /// Describes the schedule for people, such as `Mon, Wed 07:30 17:00, unless done`.
  package func summary(_ time: LocalTime) -> String {
    var rule = RuleText(time: time).text(rule, at: times)
    // A recurrence may name the zone itself.
    if case .fixed(let zone) = zone, !rule.contains(zone) { rule += " \(zone)" }
    var details: [String] = []
    if let conditions { details.append("unless \(conditions)") }
    switch quietPolicy {
    case .deferred: break
    case .silent: details.append("silent in quiet hours")
    case .drop: details.append("not in quiet hours")
    case .fire: details.append("also in quiet hours")
    }
    if let level = content.level { details.append(level.rawValue) }
    if let stopAfterDays {
      details.append(
        stopAfterDays == 0 ? "never stopping" : "stopping after \(stopAfterDays) days")
    }
    guard !details.isEmpty else { return rule }
    let hasTimes = !times.isEmpty || self.rule.hasOwnTimes
    return rule + (hasTimes ? ", " : "; ") + details.joined(separator: ", ")
  }

  /// `done, 3/week, any entry or done within 50m`, or nil.
  private var conditions: String? {
    var texts: [String] = []
    if unless.contains(.done) { texts.append("done") }
    if unless.contains(.quota) { texts.append(quota?.description ?? "the goal is met") }
    if unless.contains(.entry) { texts.append("any entry") }
    if let doneWithinSeconds {
      texts.append("done within \(doneWithinSeconds.shortDuration)")
    }
    let known = Schedule.Condition.named.reduce(into: Schedule.Condition.none) {
      $0.insert($1.option)
    }
    if !unless.subtracting(known).isEmpty { texts.append("a condition of a newer version") }
    guard let last = texts.popLast() else { return nil }
    return texts.isEmpty ? last : texts.joined(separator: ", ") + " or " + last
  }
}
