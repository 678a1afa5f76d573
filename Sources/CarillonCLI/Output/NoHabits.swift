import Carillon
import CarillonDocuments

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
