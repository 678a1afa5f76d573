#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel
import Foundation

/// `carillon hub erase`: removes all of a person.
struct HubErase: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "erase", abstract: "Remove a person with all events, devices and invitations.",
    discussion: """
      Prints what was counted before and after in each table. The devices keep their stores. This \
      cannot be undone. If it is killed, run it again.
      """)

  @Argument(help: "The ID of the person's store.")
  var person: String
  @Flag(help: "Do not ask.")
  var yes = false
  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    let id = try StoreID(person: person)
    try await flags.withDatabase { database in
      if let found = try await database.person(id) {
        try confirm(found)
      } else if try await !database.isErased(id) {
        throw ServeFailure.noPerson(id)
      }
      // An erasure that was killed was confirmed already.
      let erasure = try await database.erase(id)
      let lines = erasure.tables.map {
        "\($0.name): \($0.rowsBefore) before, \($0.rowsAfter) after\n"
      }
      output.confirm(
        "Erased person \(id). Counted in the database:\n" + lines.joined(),
        [
          "erased": .text(id),
          "tables": .array(erasure.tables) {
            [
              "name": .text($0.name), "before": .integer($0.rowsBefore),
              "after": .integer($0.rowsAfter),
            ]
          },
        ])
    }
  }

  private func confirm(_ person: HubPerson) throws(ServeFailure) {
    guard !yes else { return }
    guard isatty(STDIN_FILENO) != 0 else {
      throw .usage("erasing a person must be confirmed", hint: "add --yes")
    }
    StandardStream.errors.write("Erase this person for good? \(person.line)Type yes: ")
    guard readLine() == "yes" else {
      throw ServeFailure(
        status: .no, code: "cancelled", message: "nothing was erased",
        hint: "to erase the person, type yes")
    }
  }
}
#endif
