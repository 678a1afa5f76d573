import Carillon
import CarillonModel
import Foundation

extension Habit {
  /// `{id,title,...}`; fields with their default values are left out.
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

extension Store {
  /// Returns what a view says that has no habits to show, with the number of archived ones.
  func noHabits(_ output: Output) async throws -> String {
    let archived = try await habits(includingArchived: true).count
    guard archived > 0 else {
      return "No habits yet. Add one: \(output.carillon) habit add Walk --at 17:00\n"
    }
    let (are, them) = archived == 1 ? ("is", "it") : ("are", "them")
    return "No habits in use; \(archived.counted("habit")) \(are) archived. To list \(them): "
      + "\(output.carillon) habit list --all\n"
  }
}
