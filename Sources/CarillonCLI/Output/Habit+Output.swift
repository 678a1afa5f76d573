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
