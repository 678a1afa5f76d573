#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel

/// `carillon hub group`: removes groups of servers.
struct HubGroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Remove a group of servers.",
    subcommands: [HubGroupRemove.self])
}

/// `carillon hub group remove`.
struct HubGroupRemove: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a group of servers that has no shard.",
    discussion: """
      Move its shards to other groups first. The database of the group stays as it is, and need \
      not run. Leave the group out of --groups, which would add it again. A process that runs \
      forgets the group when it reads the list of the groups again, at the latest when it is \
      restarted.
      """)

  @Argument(help: "The name of the group.")
  var group: String
  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    let wasAsked = try await flags.withDatabase { database in
      do {
        return try await database.removeGroup(group)
      } catch let error as LogError {
        let hint: String? =
          switch error.code {
          case .notFound: "list the groups: carillon hub shards"
          case .invalidValue where error.hint != nil:
            "list the shards: carillon hub shards; then move each of the group: carillon hub move "
              + "SHARD GROUP"
          default: error.hint
          }
        throw LogError(code: error.code, message: error.message, hint: hint, cause: error.cause)
      }
    }
    output.confirm(
      "Removed group \(group.printable). --groups would add it again.\n",
      ["removed": .text(group), "wasAsked": .bool(wasAsked)])
    guard !wasAsked else { return }
    output.note(
      "warning: the database of the group could not be asked; if a shard was there before, check "
        + "that no rows are left")
  }
}
#endif
