import Carillon
import Foundation

extension Habit {
  /// `{id,title,...}`: fields that have their default are left out.
  var json: JSON {
    let blank = Habit(id: id, title: "")
    var members: [(key: String, value: JSON)] = [
      ("id", .text(id.description)), ("title", .text(title)),
    ]
    for field in HabitField.allCases where field != .title && self[field] != blank[field] {
      members.append((field == .position ? "order" : field.name, json(of: field)))
    }
    members.append(("archived", .bool(isArchived)))
    members.append(("deleted", .bool(isDeleted)))
    members.append(("slots", .array(slots) { $0.json }))
    return .object(members)
  }

  private func json(of field: HabitField) -> JSON {
    switch (field, self[field]) {
    case (.start, _): .text(start)
    case (.end, _): .text(end)
    case (_, .text(let text)): .text(text)
    case (_, .integer(let number)): .integer(number)
    case (_, .none): .null
    }
  }
}

extension Slot {
  /// When it reminds, for people: `Mon, Wed 07:30 17:00 unless done`.
  var summary: String {
    var words = [rule.summary]
    words.append(times.isEmpty ? "no reminder" : times.map(\.description).joined(separator: " "))
    if case .fixed(let zone) = zone { words.append(zone) }
    if unless.contains(.done) { words.append("unless done") }
    if let stopAfterDays {
      words.append(stopAfterDays == 0 ? "never stopping" : "stopping after \(stopAfterDays) days")
    }
    return words.joined(separator: " ")
  }

  var json: JSON {
    var members: [(key: String, value: JSON)] = [
      ("id", .text(id.description)), ("rule", rule.json),
      ("times", .array(times) { .text($0.description) }),
    ]
    if case .fixed(let zone) = zone { members.append(("zone", .text(zone))) }
    if unless.contains(.done) { members.append(("unless", .array([.text("done")]))) }
    if let stopAfterDays { members.append(("stopAfterDays", .integer(stopAfterDays))) }
    for (key, text) in [
      ("title", content.title), ("body", content.body), ("sound", content.sound),
      ("thread", thread),
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

extension Rule {
  fileprivate var summary: String {
    switch self {
    case .once(let date): "once \(date)"
    case .weekly(let days) where days.count == 7: "daily"
    case .weekly(let days):
      days.sorted().map(\.abbreviation.capitalized).joined(separator: ", ")
    case .everyDays(let days, let anchor): "every \(days) days from \(anchor)"
    case .recurrence, .interval, .relative, .place, .unknown: "a rule of a newer version"
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .once(let date): ["once": .text(date.description)]
    case .weekly(let days): ["weekly": .array(days.sorted()) { .text($0.abbreviation) }]
    case .everyDays(let days, let anchor):
      ["everyDays": .integer(days), "from": .text(anchor.description)]
    case .recurrence, .interval, .relative, .place: [:]
    case .unknown(let number, _): ["unknown": .integer(number)]
    }
  }
}

extension Int64 {
  /// Thousandths as a decimal without needless zeros: `2.5`.
  var decimal: String {
    let whole = magnitude / 1000
    var fraction = String(magnitude % 1000)
    fraction = String(repeating: "0", count: 3 - fraction.count) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (self < 0 ? "-" : "") + (fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)")
  }
}
