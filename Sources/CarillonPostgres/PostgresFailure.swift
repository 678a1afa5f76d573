#if Service
internal import CarillonHub
internal import CarillonModel

/// A failure of the database, the cause of the error that callers receive.
struct PostgresFailure: Error, RetryCause {
  /// The SQLSTATE; nil if the server did not answer.
  let state: String?
  /// When to try again; nil if that does not help.
  let retryAfter: Duration?
  /// The store that another database has now, or will have soon.
  var movedStore: StoreID?
  var obstacle: HubObstacle?

  var isMove: Bool { movedStore != nil }
}

/// What the server's refusal of a statement means, by its SQLSTATE.
struct SQLState {
  let code: LogError.Code
  /// Whether a commit that was sent in the same round trip did not happen.
  ///
  /// It did not if the server refused a statement before it, or the commit itself.
  let isBeforeCommit: Bool
  let obstacle: HubObstacle?

  init(_ state: String) {
    self = Self.table[state] ?? Self.table[String(state.prefix(2))] ?? SQLState(.io)
  }

  /// By state, or else by its class, which is its first two characters.
  ///
  /// A server that stops, or that cannot reach its own disk, may have committed.
  private static let table = [
    // The connection was lost, by the word of the server or of a program between.
    "08": SQLState(.busy, isBeforeCommit: false),
    // Values and tables that are not those of a log.
    "22": SQLState(.corrupt),
    // The server accepts no login of the role, or has no such database.
    "28": SQLState(.busy, .noLogin),
    "3D000": SQLState(.busy, .noDatabase),
    // Nothing but the check of the migrations divides.
    "22012": SQLState(.busy, .olderProcess),
    "23": SQLState(.corrupt),
    "42": SQLState(.corrupt),
    // The role lacks a privilege.
    "42501": SQLState(.busy, .noPrivilege),
    // The server is a standby now, or its operator has stopped all writes.
    "25006": SQLState(.busy, .readOnly),
    // A transaction of a process that was stopped for a time.
    "25P03": SQLState(.busy),
    // Deadlocks.
    "40": SQLState(.busy),
    // The server does not know how a statement ended.
    "40003": SQLState(.busy, isBeforeCommit: false),
    // Memory, and limits of the configuration.
    "53": SQLState(.busy, .noResources),
    "53100": SQLState(.busy, .fullDisk),
    "53300": SQLState(.busy, .noConnections),
    // A lock was not released in time.
    "55": SQLState(.busy),
    // A server that starts or stops, and a statement that its operator cancelled.
    "57": SQLState(.busy, isBeforeCommit: false),
    // Errors of the server's system and of its disk, and bugs.
    "58": SQLState(.io, isBeforeCommit: false),
    "XX": SQLState(.io, isBeforeCommit: false),
    "XX001": SQLState(.corrupt, isBeforeCommit: false),
    "XX002": SQLState(.corrupt, isBeforeCommit: false),
  ]

  private init(
    _ code: LogError.Code, _ obstacle: HubObstacle? = nil, isBeforeCommit: Bool = true
  ) {
    (self.code, self.obstacle, self.isBeforeCommit) = (code, obstacle, isBeforeCommit)
  }
}

extension LogError {
  static func shardMoved(_ store: StoreID) -> LogError {
    LogError(
      code: .busy, message: "the log of store \(store) is moving to another database",
      cause: PostgresFailure(state: nil, retryAfter: .seconds(1), movedStore: store))
  }

  /// The store that is in another database, or on its way there.
  var movedStore: StoreID? { (cause as? PostgresFailure)?.movedStore }

  static func busy(_ problem: String, retryAfter: Duration) -> LogError {
    LogError(
      code: .busy, message: "the database is busy: \(problem)",
      cause: PostgresFailure(state: nil, retryAfter: retryAfter))
  }

  static func unknownOutcome(_ problem: String, _ obstacle: HubObstacle? = nil) -> LogError {
    LogError(
      code: .unknownOutcome, message: "it is unknown whether the commit happened: \(problem)",
      hint: "do the same again",
      cause: PostgresFailure(state: nil, retryAfter: nil, obstacle: obstacle))
  }

  /// Creates an error for a statement that the server refused.
  static func postgres(_ state: String, _ message: String, retryAfter: Duration) -> LogError {
    let meaning = SQLState(state)
    let (code, obstacle) = (meaning.code, meaning.obstacle)
    let subject = obstacle?.rawValue ?? "the database refused a statement"
    return LogError(
      // What the server says about its division means nothing to people.
      code: code, message: obstacle == .olderProcess ? subject : "\(subject): \(message)",
      hint: obstacle?.hint,
      cause: PostgresFailure(
        state: state, retryAfter: code == .busy ? obstacle?.retryAfter ?? retryAfter : nil,
        obstacle: obstacle))
  }
}
#endif
