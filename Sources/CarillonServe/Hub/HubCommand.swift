#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel
import CarillonService
import Foundation

/// `carillon hub`: serves a hub, and administers its people.
struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub", _superCommandName: "carillon",
    abstract: "Keep the logs of many people, and sync their devices.",
    discussion: """
      Without a subcommand, the hub is served until Ctrl-C. Any number of processes may use one \
      database. A hub in a directory or a file is for one computer.

      Examples:
        carillon hub --database hub.sqlite
        carillon hub --database postgres://host/carillon --listen 0.0.0.0:8787 \
      --tls-certificate a.pem --tls-key a.key --names hub.example
        carillon hub people add --database hub.sqlite
        carillon hub invite STORE-ID --role phone --database hub.sqlite \
      --public-address https://hub.example
      """,
    subcommands: [
      HubServe.self, HubPeople.self, HubInvite.self, HubQuotaVerb.self, HubErase.self,
      HubCompact.self, HubShards.self, HubMove.self, HubGroupCommand.self, HubMigrate.self,
      HubReopen.self,
    ], defaultSubcommand: HubServe.self)

  /// Requires that no option is given that all commands but those of a hub take.
  ///
  /// The parser would report it as unknown, without a reason.
  static func requireNoOtherOptions(_ given: [String]) throws(ServeFailure) {
    for argument in given.prefix(while: { $0 != "--" }) {
      switch argument.prefix(while: { $0 != "=" }) {
      case "--store":
        throw .usage(
          "a hub keeps the stores of many people, and takes no --store",
          hint: "leave it out, and name the hub's database: carillon hub --database PATH")
      case "--zone":
        throw .usage("--zone: a hub shows times in UTC", hint: "leave out --zone")
      case "--now": throw .otherClock
      default: break
      }
    }
  }
}

/// A subcommand of `carillon hub`.
protocol HubVerb: ParsableCommand {
  var output: ProgramOutput { get }
  /// The given flags that say where the database is, for suggested commands; each after a space.
  var givenPlace: String { get }

  /// - Throws: ``ServeFailure``, `LogError` and the errors of access.
  func perform() async throws
}

/// A subcommand of `carillon hub` that uses the database, and nothing else.
protocol HubDatabaseVerb: HubVerb {
  var flags: HubVerbFlags { get }
}

extension HubDatabaseVerb {
  var output: ProgramOutput { flags.output }
  var givenPlace: String { flags.place.given(flags.config) }
}

/// `carillon hub serve`, which may be left out.
struct HubServe: HubVerb {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the hub, until Ctrl-C (the default).")

  @OptionGroup var place: HubDatabaseFlags

  @Option(
    help: ArgumentHelp(
      "Databases of further groups, which are remembered: two=postgres://host/carillon, separated "
        + "by commas.", valueName: "name=url"))
  var groups: String?

  @Flag(help: "Require that each commit is on a synchronous standby before it is acknowledged.")
  var requireCopies = false

  @Option(
    help: ArgumentHelp(
      "The most requests that wait for the database or use it, for each group (default: 1024).",
      valueName: "n"))
  var maxWaiting: String?

  @Option(
    help: ArgumentHelp(
      "The most connections to the database of each group (default: 16).", valueName: "n"))
  var databaseConnections: String?

  @OptionGroup var server: ServerFlags
  @OptionGroup var output: ProgramOutput
  var givenPlace: String { place.given(server.config) }

  func perform() async throws {
    let own = [
      "database": place.database, "groups": groups, "require-copies": requireCopies ? "yes" : nil,
      "max-waiting": maxWaiting, "database-connections": databaseConnections,
    ]
    var reader = try SettingReader(
      flags: server.given.merging(own.compactMapValues { $0 }) { $1 }, file: server.config,
      of: "carillon hub serve")
    let settings = try HubSettings(from: &reader)
    let connections = FileLimit.raise(to: settings.server.limits.connections)
    try await FileLimit.openClocks()
    try await HubProgram(settings, at: givenPlace, output, openFilesFor: connections).run()
  }
}

/// Where the database is.
struct HubDatabaseFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "postgres://..., a directory, or FILE.sqlite (default: CARILLON_DATABASE).",
      valueName: "database"), completion: .file())
  var database: String?

  /// The given flags as words of a command, each after a space, without a password.
  ///
  /// - Parameter config: The file with settings.
  func given(_ config: String?) -> String {
    Self.given(database) + (config.map { " --config \(ShellWord.quoted($0))" } ?? "")
  }

  /// The flag that names a database, after a space and without a password.
  static func given(_ database: String?) -> String {
    database.map { " --database \(ShellWord.quoted(HubPlace.withoutPassword($0)))" } ?? ""
  }
}

/// Where the database is, and what the verb prints.
struct HubVerbFlags: ParsableArguments {
  @OptionGroup var place: HubDatabaseFlags

  @Option(
    help: ArgumentHelp("Read settings from the JSON file of the hub.", valueName: "file"),
    completion: .file())
  var config: String?

  @OptionGroup var output: ProgramOutput

  /// Calls `body` with the database, and closes it.
  ///
  /// - Parameters:
  ///   - use: Who else may use the database meanwhile.
  ///   - creates: Whether to create the files of a hub if they are missing.
  /// - Throws: ``ServeFailure``, and the errors of `body`.
  func withDatabase<Result>(
    use: HubUse = .shared, creates: Bool = false,
    _ body: (any HubDatabase) async throws -> Result
  ) async throws -> Result {
    let flags = place.database.map { ["database": $0] } ?? [:]
    var reader = try SettingReader(flags: flags, file: config, of: "carillon hub serve")
    return try await HubSettings.place(&reader).open(use: use, creates: creates).closing(body)
  }
}

extension StoreID {
  /// Reads the ID of a person.
  ///
  /// - Throws: ``ServeFailure``.
  init(person text: String) throws(ServeFailure) {
    guard let id = StoreID(text) else {
      throw .usage(
        "\"\(text)\" is not the ID of a person, which is that of a store",
        hint: "list the people: carillon hub people list")
    }
    self = id
  }
}
#endif
