#if Service
import Carillon
import CarillonDocuments
import CarillonHub
import CarillonHubFiles
import CarillonModel
import CarillonPostgres

/// Where the database of a hub is.
enum HubPlace: Equatable {
  /// The URL of a PostgreSQL database.
  case postgres(String)
  /// A directory, or a file whose name ends with `.sqlite`.
  case files(String)

  /// Reads a place; the scheme of a URL may be in any case.
  ///
  /// What looks as if it were for libpq is no path: the directory's name would have the password.
  ///
  /// - Parameter source: What gave the text, for messages.
  /// - Throws: ``ServeFailure`` for anything else, without the text, which may have a password.
  init(_ text: String, from source: String) throws(ServeFailure) {
    let scheme = text.prefixMatch(of: /((?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]*):\/\//)?.output.1
    switch scheme?.lowercased() {
    case let name? where ["postgres", "postgresql"].contains(name):
      let url = name + text.dropFirst(name.count)
      do {
        try ConnectionString.check(url)
      } catch {
        throw .usage("\(source): \(error.message)", hint: error.hint ?? Self.accepted)
      }
      self = .postgres(url)
    case let name?:
      throw .usage(
        "\(source): a hub has no database at an address with \(name)://",
        hint: "give \(Self.accepted)")
    case nil:
      guard text.prefixMatch(of: /\s*(?i:postgres(?:ql)?):/) == nil,
        !ConnectionString.hasKeyword(text)
      else {
        throw .usage(
          "\(source): a database of PostgreSQL needs a URL that begins with postgres://",
          hint: "give \(Self.accepted)")
      }
      self = .files(text)
    }
  }

  /// What names a database.
  static let accepted = "postgres://..., a directory or FILE.sqlite"

  /// Returns a text that names a database as a hint may repeat it, without a password.
  static func withoutPassword(_ text: String) -> String {
    switch try? HubPlace(text, from: "") {
    case .files: text
    // Any parameter may have a secret, also under a name that is encoded.
    case .postgres where text.wholeMatch(of: /\w+:\/\/(?:[^@:%?\/]*@)?[^@%?]*/) != nil: text
    default: "postgres://..."
    }
  }

  /// Whether both are the same database, which may exist or not.
  ///
  /// - Throws: `LogError` if a path cannot be read, or a server cannot be asked.
  func isSame(as other: HubPlace) throws -> Bool {
    switch (self, other) {
    case (.files(let path), .files(let other)): try FileHub.isSame(path, other)
    case (.postgres(let url), .postgres(let other)):
      try url == other || PostgresHub.isSame(url, other)
    default: false
    }
  }

  /// Opens the database, and brings its tables up to date.
  ///
  /// - Parameters:
  ///   - groups: The databases of further groups by name, for PostgreSQL only.
  ///   - requiresCopies: Whether a commit must be on a synchronous standby.
  ///   - connectionCount: The most connections to each database, for PostgreSQL only.
  ///   - use: Who else may use the database meanwhile.
  ///   - creates: Whether to create the files of a hub if they are missing.
  /// - Throws: ``ServeFailure``.
  func open(
    groups: [String: String] = [:], requiresCopies: Bool = false,
    connectionCount: Int = PostgresOptions.usualConnectionCount, use: HubUse = .shared,
    creates: Bool = false
  ) throws -> any HubDatabase {
    do {
      switch self {
      case .postgres(let url):
        var options = PostgresOptions(url)
        options.requiresCopies = requiresCopies
        options.connectionCount = connectionCount
        options.use = use
        return try PostgresHub(options, groups: groups)
      case .files(let path):
        guard groups.isEmpty, !requiresCopies else {
          throw ServeFailure.usage(
            "a hub in files has neither groups nor copies",
            hint: "leave out --groups and --require-copies, or give --database postgres://...")
        }
        let isNew = !FileHub.exists(at: path)
        do {
          return try FileHub(at: path, creates: creates, use: use)
        } catch let error as LogError where isNew {
          throw ServeFailure(creating: StoreError(translating: error)) ?? error
        }
      }
    } catch let error as LogError {
      throw ServeFailure(hub: error)
    }
  }
}

extension ServeFailure {
  /// Returns the same failure with the database in the commands of its hint that have no options.
  ///
  /// - Parameter place: The flags that name the database, after a space.
  func naming(place: String) -> ServeFailure {
    var failure = self
    let parts = hint.split(separator: "carillon hub ", omittingEmptySubsequences: false)
    failure.hint = parts.dropFirst().reduce(String(parts[0])) { text, part in
      // A command ends with the hint, or before a semicolon.
      let command = part.prefix { $0 != ";" }
      let flags = command.contains("--") ? "" : place
      return text + "carillon hub " + command + flags + part[command.endIndex...]
    }
    return failure
  }

  /// Creates the failure for an error of a hub's database.
  init(hub error: LogError) {
    let next =
      switch error.code {
      case .busy: "check that the database runs and can be reached, then try again"
      case .notFound: "list the people: carillon hub people list"
      case .unknownOutcome: "run the command again"
      case .alreadyExists: "give another ID, or leave out --id"
      case .unsupportedFormat: "use the version of Carillon that wrote it, or a newer one"
      default: "check the database and the permissions of its files"
      }
    let (status, code): (ExitStatus, String) =
      switch error.obstacle {
      case .unreachable: (.unreachable, "unreachable")
      // These do not end by themselves, so that it would be of no use to try again.
      case .noLogin, .noPrivilege: (.denied, "denied")
      case .noDatabase: (.notFound, "notFound")
      case .incomplete: (.badData, "incomplete")
      case .moved: (.badData, "moved")
      case .otherGroup: (.badData, "otherGroup")
      default:
        (
          error.code == .unknownOutcome
            ? .busy : ExitStatus(StoreError(translating: error).code), error.code.rawValue
        )
      }
    self.init(
      status: status, code: code, message: error.message,
      hint: Self.commands(after: error) ?? error.hint ?? next)
  }

  /// Returns what to try after an error about whether hubs may use a database; nil for others.
  private static func commands(after error: LogError) -> String? {
    if let move = error.cause as? UnfinishedMove {
      return "if no such move runs, finish it: carillon hub move \(move.shard) "
        + ShellWord.quoted(move.target)
    }
    return switch (error.cause as? HubMigration.Conflict, error.obstacle) {
    case (.otherSource, _):
      "copy from that hub; to give up its migration, run carillon hub reopen; then run the same "
        + "again"
    case (.leftover(let person, let isRefused), _):
      "run " + (isRefused ? "carillon hub reopen; then " : "")
        + "carillon hub erase \(person); then run the same again"
    case (nil, .moved):
      "give the other database; to let hubs use this one again, run carillon hub reopen"
    case (nil, .incomplete):
      "run hub migrate again, with the same databases; to give it up, run carillon hub reopen"
    case (nil, _): nil
    }
  }
}
#endif
