#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel

/// `carillon hub reopen`: lets hubs use a database again that a migration has closed to them.
struct HubReopen: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "reopen", abstract: "Let hubs use a database again that was migrated.",
    discussion: """
      After hub migrate, hubs refuse to use the old database; until it has ended, they refuse the \
      new one. This ends that, for one whose migration is given up or was a mistake. Stop the hubs \
      on the other database first. What changed there is missing here: a device that has joined \
      there has no access, and one that was revoked there has it again. Devices bring their events.
      """)

  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    let state = try await flags.withDatabase(use: .exclusive) { database in
      let state = try await database.state()
      try await database.setState(.serving)
      return state
    }
    let was =
      switch state {
      case .serving: "as before"
      case .filling: "although people may be missing, since a migration to it has not ended"
      case .moved: "with the people as they were when all were moved to another database"
      }
    output.confirm(
      "Hubs can use the database, \(was).\n", ["reopened": .bool(state != .serving)])
  }
}
#endif
