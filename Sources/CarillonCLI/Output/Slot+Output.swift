import Carillon
import Foundation

extension Slot {
  /// When it reminds, for people: `Mon, Wed 07:30 17:00 unless done`.
  var summary: String {
    var words = [rule.summary(at: times)]
    if case .fixed(let zone) = zone { words.append(zone) }
    if let conditions { words.append("unless \(conditions)") }
    switch quietPolicy {
    case .deferred: break
    case .silent: words.append("silent in quiet hours")
    case .drop: words.append("not in quiet hours")
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
    let known = Condition.named.reduce(into: Condition.none) { $0.insert($1.condition) }
    if !unless.subtracting(known).isEmpty { texts.append("what a newer version knows") }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  /// As `slot.set` has it in `protocol/EVENTS.md`; what has its default is left out.
  var json: JSON {
    var members: [(key: String, value: JSON)] = [
      ("id", .text(id.description)), ("rule", rule.json),
      ("times", .array(times) { .text($0.description) }),
    ]
    if case .fixed(let zone) = zone { members.append(("zone", .text(zone))) }
    if !unless.isEmpty { members.append(("unless", .array(unless.names) { .text($0) })) }
    if let quota { members.append(("quota", .text(quota.description))) }
    if let doneWithinSeconds { members.append(("doneWithinSeconds", .integer(doneWithinSeconds))) }
    if quietPolicy != .deferred { members.append(("quietPolicy", .text(quietPolicy.rawValue))) }
    if let stopAfterDays { members.append(("stopAfterDays", .integer(stopAfterDays))) }
    for (key, text) in [
      ("title", content.title), ("body", content.body), ("sound", content.sound),
      ("level", content.level?.rawValue), ("thread", thread),
    ] {
      if let text { members.append((key, .text(text))) }
    }
    if !content.data.isEmpty {
      let data = content.data.sorted { $0.key < $1.key }
      members.append(("data", .object(data.map { (key: $0.key, value: .text($0.value)) })))
    }
    return .object(members)
  }
}

extension Condition {
  fileprivate var names: [String] { Self.named.filter { contains($0.condition) }.map(\.name) }
}

extension Rule {
  fileprivate func summary(at given: [TimeOfDay]) -> String {
    let times = given.isEmpty ? "no reminder" : given.map(\.description).joined(separator: " ")
    switch self {
    case .once(let date): return "once \(date) \(times)"
    case .weekly(let days) where days.count == 7: return "daily \(times)"
    case .weekly(let days):
      let names = days.sorted().map(\.abbreviation.capitalized).joined(separator: ", ")
      return "\(names) \(times)"
    case .everyDays(let days, let anchor): return "every \(days) days from \(anchor) \(times)"
    case .recurrence(let recurrence):
      let lines = recurrence.description.replacingOccurrences(of: "\n", with: " ")
      return recurrence.isDateOnly ? "\(lines) at \(times)" : lines
    case .interval(let interval): return interval.summary
    case .relative(let relative): return relative.summary(at: given)
    case .place(let region): return region.summary
    case .unknown: return "a rule of a newer version"
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .once(let date): ["once": .text(date.description)]
    case .weekly(let days): ["weekly": .array(days.sorted()) { .text($0.abbreviation) }]
    case .everyDays(let days, let anchor):
      ["everyDays": .integer(days), "from": .text(anchor.description)]
    case .recurrence(let recurrence): ["recurrence": .text(recurrence.description)]
    case .interval(let interval): interval.json
    case .relative(let relative): ["relative": relative.json]
    case .place(let region): ["place": region.json]
    case .unknown(let number, _): ["unknown": .integer(number)]
    }
  }
}

extension Interval {
  /// `every 4h from 2026-11-23T08:00:00Z 08:00-20:00`.
  fileprivate var summary: String {
    "every \(DurationText.text(seconds)) from \(from.rfc3339())"
      + (window.map { " \($0)" } ?? "")
  }

  fileprivate var json: JSON {
    let always: JSON = ["interval": .integer(seconds), "from": .text(from.rfc3339())]
    return window.map { always.merging(["window": .text($0.description)]) } ?? always
  }
}

extension Relative {
  /// `15m before Mon 18:00, again 2x5m`, or `10m after the end (45m) of daily 18:00`.
  fileprivate func summary(at times: [TimeOfDay]) -> String {
    let span = DurationText.text(abs(offsetSeconds))
    let side = offsetSeconds == 0 ? "at" : "\(span) \(offsetSeconds < 0 ? "before" : "after")"
    let lasting = DurationText.text(durationMinutes * 60)
    let edge = edge == .end ? "the end (\(lasting)) of " : ""
    let again =
      repeatCount == 0 ? "" : ", again \(repeatCount)x\(DurationText.text(repeatSeconds))"
    return "\(side) \(edge)\(base.summary(at: times))\(again)"
  }

  fileprivate var json: JSON {
    [
      "base": base.json, "edge": .text(edge.rawValue), "offsetSeconds": .integer(offsetSeconds),
      "durationMinutes": .integer(durationMinutes), "repeatCount": .integer(repeatCount),
      "repeatSeconds": .integer(repeatSeconds),
    ]
  }
}

extension Region {
  /// `on leaving 200m around 52.52,13.405`.
  fileprivate var summary: String {
    "on \(crossing == .entry ? "entering" : "leaving") \(radius)m around "
      + "\(PlaceText.text(latitude)),\(PlaceText.text(longitude))"
  }

  fileprivate var json: JSON {
    [
      "latitude": .integer(Int(latitude)), "longitude": .integer(Int(longitude)),
      "radius": .integer(radius), "crossing": .text(crossing.rawValue),
    ]
  }
}
