import Carillon
import CarillonDocuments

extension Habit {
  /// The argument that names the habit in a suggested command: its title, or its ID if the title
  /// cannot be pasted.
  var argument: String { NextCommand.argument(title, or: id) }

  /// Returns the argument that names only this habit in a suggested command.
  func argument(among habits: [Habit]) -> String {
    isNamedByTitle(among: habits) ? argument : id.description
  }
}
