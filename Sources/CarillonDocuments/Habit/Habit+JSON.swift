import Carillon
package import CarillonModel

extension Habit {
  /// `{id,title,...}`; fields with their default values are left out.
  package var json: JSON {
    let blank = Habit(id: id, title: "")
    var members: [(key: String, value: JSON)] = [
      ("id", .text(id.description)), ("title", .text(title)),
    ]
    for field in HabitField.allCases where field != .title && self[field] != blank[field] {
      members.append((field == .position ? "order" : field.name, json(of: field)))
    }
    members.append(("archived", .bool(isArchived)))
    members.append(("deleted", .bool(isDeleted)))
    members.append(("schedules", .array(schedules) { $0.json }))
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

extension Schedule {
  /// The schedule in the form of `schedule.set` in `protocol/EVENTS.md`, with `id` for `schedule`.
  ///
  /// Members with their default values are left out.
  package var json: JSON {
    let standard = Schedule(id: id, rule: rule, times: []).document
    let members = document.members.filter { member in
      ["rule", "times"].contains(member.name) || member.value != standard[member.name]
    }
    let named: JSON = ["id": .text(id.description)]
    return named.merging(.object(members.map { (key: $0.name, value: $0.value) }))
  }
}
