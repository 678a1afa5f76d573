#if Service
package import CarillonModel

/// Why a hub cannot write, which often lasts until its operator changes something.
///
/// The operator sees the text in the log and in the health, and devices get it with their refusal.
/// So it names no host and no path.
package enum HubObstacle: String, Hashable, Sendable, CaseIterable {
  case fullDisk = "the disk of the database is full"
  case olderProcess = "this process is older than the database; upgrade it"
  case noPrivilege = "the hub's role has too few privileges in the database"
  case readOnly = "the database accepts no writes"
  case replacedFiles = "the database's files were removed or replaced"
  case noCopies = "the database has no synchronous copy"
  case noConnections = "the database accepts no more connections"
  case noResources = "the database has too little memory, or too many locks"
  case usedAlone = "another process uses the database alone, such as to copy all people"
  case incomplete = "people are missing, since a migration to the database has not ended"
  case moved = "all people were moved to another database"
  case otherGroup = "the database is not that of the group"
  case noLogin = "the database refuses the hub's login"
  case noDatabase = "the database does not exist"
  case unreachable = "the database cannot be reached"
  case silent = "the database does not answer"

  /// What the operator can do.
  package var hint: String {
    switch self {
    case .fullDisk: "free space on the disk of the database, or give it a larger one"
    case .olderProcess: "start the version that changed the database, and stop this process"
    case .noPrivilege:
      "let the role own the database, or own the tables and create in their schema (GRANT USAGE, "
        + "CREATE ON SCHEMA ...)"
    case .readOnly:
      "give the address of the primary, or turn off default_transaction_read_only in the database"
    case .replacedFiles:
      "put the files back at their path, or end every process that uses them and start it again"
    case .noCopies: "start the standby, and name it in synchronous_standby_names of the database"
    case .noConnections:
      "raise max_connections of PostgreSQL, or lower the hub's setting database-connections"
    case .noResources: "raise the limits of the database, or run fewer processes"
    case .usedAlone: "wait until it has ended"
    case .incomplete: "run the migration again, with the same databases, or reopen this one"
    case .moved: "give the other database, or reopen this one"
    case .otherGroup: "give the URL of the group's own database"
    case .noLogin:
      "check the user and the password in the database URL, and that the role may log in from here"
    case .noDatabase: "check the database URL, or create the database"
    case .unreachable, .silent: "check that the database runs and can be reached"
    }
  }

  /// How long a device should wait before it tries again.
  package var retryAfter: Duration {
    switch self {
    case .fullDisk, .noPrivilege: .seconds(60)
    // Another process may answer.
    case .olderProcess, .unreachable, .silent: .seconds(1)
    case .readOnly, .replacedFiles, .noCopies, .noConnections, .noResources, .usedAlone,
      .incomplete, .moved, .otherGroup, .noLogin, .noDatabase:
      .seconds(5)
    }
  }

  /// Whether reads succeed nevertheless.
  package var allowsReads: Bool {
    switch self {
    case .fullDisk, .olderProcess, .noPrivilege, .readOnly, .noCopies: true
    case .replacedFiles, .noConnections, .noResources, .usedAlone, .incomplete, .moved, .otherGroup,
      .noLogin, .noDatabase, .unreachable, .silent:
      false
    }
  }

  /// Whether a look at the state of a group finds it.
  ///
  /// A database that accepts no writes accepts no new connections of a hub either.
  package var isFoundByLook: Bool { !allowsReads || self == .readOnly || self == .noCopies }

  /// Whether it lasts as long as the process.
  package var isPermanent: Bool { self == .olderProcess }
}

extension LogError {
  /// Creates the error for a call that the obstacle prevents; nothing was done.
  ///
  /// - Parameter problem: What the database says; nil if the obstacle says all.
  package static func refused(by obstacle: HubObstacle, _ problem: String? = nil) -> LogError {
    LogError(
      code: .busy, message: obstacle.rawValue + (problem.map { ": \($0)" } ?? ""),
      hint: obstacle.hint, cause: Refusal(obstacle: obstacle))
  }

  private struct Refusal: Error, RetryCause {
    let obstacle: HubObstacle?
    var retryAfter: Duration? { obstacle?.retryAfter }
  }
}
#endif
