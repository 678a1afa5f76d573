#if Service
package import CarillonModel

/// Why a hub cannot write until its operator changes something.
///
/// The operator sees the text in the log and in the health, and devices get it with their refusal.
/// So it names no host and no path.
package enum HubObstacle: String, Hashable, Sendable, CaseIterable {
  case fullDisk = "the disk of the database is full"
  case olderProcess = "this process is older than the database; upgrade it"
  case noPrivilege = "the hub's role has too few privileges in the database"
  case noResources = "the database has too little memory, or too many connections or locks"

  /// What the operator can do.
  package var hint: String {
    switch self {
    case .fullDisk: "free space on the disk of the database, or give it a larger one"
    case .olderProcess: "start the version that changed the database, and stop this process"
    case .noPrivilege:
      "let the role own the tables (ALTER TABLE ... OWNER TO ...); the database's log names the "
        + "table"
    case .noResources: "raise the limits of the database, or run fewer processes"
    }
  }

  /// How long a device should wait before it tries again.
  package var retryAfter: Duration {
    switch self {
    case .fullDisk, .noPrivilege: .seconds(60)
    // Another process may answer.
    case .olderProcess: .seconds(1)
    case .noResources: .seconds(5)
    }
  }

  /// Whether reads succeed nevertheless.
  package var allowsReads: Bool { self != .noResources }

  /// Whether it lasts as long as the process.
  package var isPermanent: Bool { self == .olderProcess }
}

extension LogError {
  /// Creates the error for a call that the obstacle refuses; nothing was done.
  ///
  /// - Parameter problem: What the database says.
  package static func refused(by obstacle: HubObstacle, _ problem: String) -> LogError {
    LogError(
      code: .busy, message: "\(obstacle.rawValue): \(problem)", hint: obstacle.hint,
      cause: Refusal(obstacle: obstacle))
  }

  private struct Refusal: Error, RetryCause {
    let obstacle: HubObstacle?
    var retryAfter: Duration? { obstacle?.retryAfter }
    var isUnreachable: Bool { false }
  }
}
#endif
