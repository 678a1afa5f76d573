#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel

/// `carillon hub compact`: joins the small rows that many syncs left.
struct HubCompact: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Join small rows of people's logs into larger ones.",
    discussion: """
      Devices can sync meanwhile, and events do not change. It can be interrupted at any moment. \
      Run it once a week or so, when few people sync.
      """)

  @Argument(help: "The ID of the person's store (default: all people).")
  var person: String?
  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    let one = try person.map { try StoreID(person: $0) }
    let (people, rows, failedCount) = try await flags.withDatabase { database in
      if let one { return (1, try await database.compact(one), 0) }
      try await database.finishErasures()
      var (people, rows, failedCount) = (0, 0, 0)
      try await database.forEachPerson { person in
        if let problem = person.problem {
          person.report(problem)
          failedCount += 1
          return
        }
        people += 1
        rows += try await database.compact(person.id)
      }
      return (people, rows, failedCount)
    }
    output.confirm(
      "Joined \(rows.counted("row")) of \(people.counted("person", "people")) into others.\n",
      ["people": .integer(people), "rows": .integer(rows)])
    guard failedCount == 0 else { throw ServeFailure.logs(failedCount) }
  }
}
#endif
