import Carillon
import Foundation

extension Schedule {
  /// Describes the schedule for people, such as `Mon, Wed 07:30 17:00 unless done`.
  func summary(_ time: LocalTime) -> String {
    var words = [RuleText(time: time).text(rule, at: times)]
    // A recurrence may name the zone itself.
    if case .fixed(let zone) = zone, !words[0].contains(zone) { words.append(zone) }
    if let conditions { words.append("unless \(conditions)") }
    switch quietPolicy {
    case .deferred: break
    case .silent: words.append("silent in quiet hours")
    case .drop: words.append("not in quiet hours")
    case .fire: words.append("also in quiet hours")
    }
    if let level = content.level { words.append(level.rawValue) }
    if let stopAfterDays {
      words.append(stopAfterDays == 0 ? "never stopping" : "stopping after \(stopAfterDays) days")
    }
    return words.joined(separator: " ")
  }

  /// `done, 3/week, any entry, done within 50m`, or nil.
  private var conditions: String? {
    var texts: [String] = []
    if unless.contains(.done) { texts.append("done") }
    if unless.contains(.quota) { texts.append(quota?.description ?? "the goal is met") }
    if unless.contains(.entry) { texts.append("any entry") }
    if let doneWithinSeconds {
      texts.append("done within \(DurationText.text(doneWithinSeconds))")
    }
    let known = Schedule.Condition.named.reduce(into: Schedule.Condition.none) {
      $0.insert($1.option)
    }
    if !unless.subtracting(known).isEmpty { texts.append("a condition of a newer version") }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  /// The schedule in the form of `schedule.set` in `protocol/EVENTS.md`, with `id` for `schedule`.
  ///
  /// Members with their default values are left out.
  var json: JSON {
    let standard = Schedule(id: id, rule: rule, times: []).document
    let members = document.members.filter { member in
      ["rule", "times"].contains(member.name) || member.value != standard[member.name]
    }
    let named: JSON = ["id": .text(id.description)]
    return named.merging(.object(members.map { (key: $0.name, value: $0.value) }))
  }
}
